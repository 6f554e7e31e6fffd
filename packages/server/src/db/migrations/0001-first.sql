-- Ids are 16 lower-case letters and digits, made by the server. Times are UTC.

create table users (
  id text primary key,
  email text not null unique,
  name text not null,
  -- argon2id; null for an account that cannot sign in with a password (dev@localhost).
  password_hash text,
  platform_admin boolean not null default false,
  created_at timestamptz not null
);

-- A login is a browser's authenticated session. Only a hash of the cookie is kept.
create table logins (
  id text primary key,
  user_id text not null references users on delete cascade,
  secret_hash bytea not null unique,
  address text,
  user_agent text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null
);

create table api_tokens (
  id text primary key,
  user_id text not null references users on delete cascade,
  name text not null,
  secret_hash bytea not null unique,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz
);

-- Attempts per address and e-mail until a time: how guessing passwords is slowed down.
create table rate_limits (
  key text primary key,
  count int not null,
  resets_at timestamptz not null
);
create index rate_limits_by_end on rate_limits (resets_at);

create table organizations (
  id text primary key,
  name text not null,
  personal boolean not null default false,
  plan text not null,
  created_at timestamptz not null
);

create table organization_members (
  organization_id text not null references organizations on delete cascade,
  user_id text not null references users on delete cascade,
  role text not null,
  primary key (organization_id, user_id)
);
-- Exactly one owner.
create unique index organization_owner on organization_members (organization_id) where role = 'org_owner';

create table teams (
  id text primary key,
  organization_id text not null references organizations on delete cascade,
  name text not null,
  namespace text not null unique,
  -- Position of the last live change; its row lock gives the team's changes their order.
  live_position bigint not null default 0,
  created_at timestamptz not null,
  unique (organization_id, name)
);

create table team_members (
  team_id text not null references teams on delete cascade,
  user_id text not null references users on delete cascade,
  role text not null,
  primary key (team_id, user_id)
);

-- Append-only hash chain (core/audit.ts). `tail` holds the last hash, locked by each writer.
create table audit_records (
  sequence bigint primary key,
  at timestamptz not null,
  actor text not null,
  actor_id text,
  action text not null,
  outcome text not null,
  method text,
  route text,
  target text,
  team_id text,
  organization_id text,
  request_id text,
  address text,
  status int,
  detail text,
  hash text not null
);
create index audit_by_team on audit_records (team_id, sequence desc);
create table audit_tail (
  only_row boolean primary key default true check (only_row),
  sequence bigint not null,
  hash text not null
);
insert into audit_tail (sequence, hash) values (0, repeat('0', 64));
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit records are append-only';
end $$;
create trigger audit_is_append_only before update or delete or truncate on audit_records
  for each statement execute function refuse_change();

-- The catalogue: every version that was ever loaded stays, so that a deployment can be edited with its own.
create table templates (
  name text not null,
  version text not null,
  spec jsonb not null,
  current boolean not null,
  loaded_at timestamptz not null,
  primary key (name, version)
);
create unique index template_current on templates (name) where current;

create table deployments (
  id text primary key,
  team_id text not null references teams,
  organization_id text not null references organizations,
  name text not null,
  display_name text,
  template_name text,
  template_version text,
  -- Without secrets.
  parameter_values jsonb not null default '{}',
  -- The rendered spec of the UserDeployment: what the resource should say.
  spec jsonb not null,
  desired text not null check (desired in ('running', 'stopped', 'deleted')),
  revision int not null,
  host text,
  -- Written by the observer.
  resource_uid text,
  observed jsonb,
  observed_version text,
  phase text not null,
  message text,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (team_id, name)
);
create index deployments_by_organization on deployments (organization_id);

create table revisions (
  deployment_id text not null references deployments on delete cascade,
  revision int not null,
  summary text not null,
  spec jsonb not null,
  parameter_values jsonb not null,
  made_by text not null,
  created_at timestamptz not null,
  primary key (deployment_id, revision)
);

-- Platform-wide: one host, one deployment.
create table host_claims (
  host text primary key,
  deployment_id text not null references deployments on delete cascade,
  claimed_at timestamptz not null
);
create index host_claims_by_deployment on host_claims (deployment_id);

create table idempotency_keys (
  user_id text not null references users on delete cascade,
  key text not null,
  request_hash text not null,
  status int not null,
  response jsonb not null,
  created_at timestamptz not null,
  primary key (user_id, key)
);

-- What the applier still has to bring to the cluster. One row a deployment: the newest state wins.
create table outbox (
  deployment_id text primary key references deployments on delete cascade,
  attempts int not null default 0,
  not_before timestamptz not null,
  last_error text,
  enqueued_at timestamptz not null
);

create table activity (
  id bigint generated always as identity primary key,
  team_id text not null references teams on delete cascade,
  deployment_id text,
  deployment_name text,
  service text,
  kind text not null,
  level text not null,
  message text not null,
  made_by text,
  at timestamptz not null,
  -- Tells one occurrence seen twice (an Event observed again) from two.
  source_key text unique
);
create index activity_by_team on activity (team_id, id desc);
create index activity_by_deployment on activity (deployment_id, id desc);

-- Changes for event streams, in commit order per team.
create table live_changes (
  team_id text not null references teams on delete cascade,
  position bigint not null,
  kind text not null check (kind in ('deployment', 'removed', 'activity')),
  object_id text not null,
  at timestamptz not null,
  primary key (team_id, position)
);

-- The embedded secrets store: envelope encryption. `key_id` names the key that wraps `wrapped_key`.
create table secrets (
  team_id text not null references teams on delete cascade,
  path text not null,
  key text not null,
  version int not null,
  ciphertext bytea not null,
  wrapped_key bytea not null,
  key_id text not null,
  updated_at timestamptz not null,
  primary key (team_id, path, key)
);

-- One credential a namespace for reading its secrets from the internal endpoint. Only a hash is kept.
create table delivery_credentials (
  namespace text primary key,
  team_id text not null references teams on delete cascade,
  secret_hash bytea not null,
  created_at timestamptz not null
);
