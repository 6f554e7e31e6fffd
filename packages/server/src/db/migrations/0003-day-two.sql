-- Changes wait while a deployment is paused; hosts beside the main one; how many pods somebody asked for, by service.
alter table deployments add column paused boolean not null default false;
alter table deployments add column aliases jsonb not null default '[]';
alter table deployments add column replicas jsonb not null default '{}';

-- All that a revision was, so that it can be compared and brought back, and what became of it.
alter table revisions add column template_name text;
alter table revisions add column template_version text;
alter table revisions add column display_name text;
alter table revisions add column host text;
alter table revisions add column aliases jsonb not null default '[]';
alter table revisions add column replicas jsonb not null default '{}';
alter table revisions add column outcome text not null default 'pending'
  check (outcome in ('pending', 'running', 'failed', 'replaced'));
alter table revisions add column outcome_message text;
alter table revisions add column finished_at timestamptz;
-- Names of the secrets that were given a value with it.
alter table revisions add column changed_secrets jsonb not null default '[]';
-- Of those that are there already: what their spec tells. What became of all but the newest was never written down.
update revisions r set
  template_name = r.spec->'template'->>'name',
  template_version = r.spec->'template'->>'version',
  display_name = r.spec->>'displayName',
  host = coalesce(
    (select e->>'host' from jsonb_array_elements(r.spec->'exposure') e where e->>'host' = d.host limit 1),
    r.spec->'exposure'->0->>'host'),
  outcome = case when r.revision < d.revision then 'replaced' else 'pending' end
from deployments d where d.id = r.deployment_id;

-- What a team writes itself stands beside what ships (no team). The source is kept as it was written.
alter table templates add column team_id text references teams on delete cascade;
alter table templates add column source text;
alter table templates add column made_by text;
alter table templates drop constraint templates_pkey;
drop index template_current;
create unique index template_version on templates (coalesce(team_id, ''), name, version);
create unique index template_current on templates (coalesce(team_id, ''), name) where current;

-- Measurements in steps of several lengths (seconds); `service` is empty for what the public addresses were asked.
create table metric_samples (
  deployment_id text not null references deployments on delete cascade,
  step int not null,
  at timestamptz not null,
  service text not null,
  cpu real,
  memory double precision,
  requests real,
  errors real,
  primary key (deployment_id, step, at, service)
);
create index metric_samples_by_age on metric_samples (step, at);
