-- Which server holds a shell that its person may come back to: whichever server they reach passes them on to it.
create table shells (
  id text primary key,
  user_id text not null references users on delete cascade,
  deployment_id text not null references deployments on delete cascade,
  session text not null,
  -- One start of one server: its address may be another's later.
  holder text not null,
  holder_url text not null,
  opened_at timestamptz not null,
  -- Of a server that was killed it grows old.
  seen_at timestamptz not null,
  unique (user_id, deployment_id, session)
);
create index shells_by_holder on shells (holder);
