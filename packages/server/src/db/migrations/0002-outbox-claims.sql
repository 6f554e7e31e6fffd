-- A claimed entry stays its claimer's also when the entry is written anew meanwhile: two that bring one deployment to the
-- cluster at once could remove it and then make it again.
alter table outbox add column claimed_until timestamptz;
