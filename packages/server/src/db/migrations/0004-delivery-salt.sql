-- The credential of a namespace is derived from the master key and this salt, so that the server never has to read it back from
-- the cluster. A row without one belongs to a credential that was drawn at random: the next look replaces it.
alter table delivery_credentials add column salt bytea;
