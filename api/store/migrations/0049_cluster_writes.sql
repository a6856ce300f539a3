-- Writes to custom resources that have begun and whose end Postgres does not know yet. A row is there before the write and goes with the
-- transaction that records its end; a row whose lease has ended is of a replica that died in between. The caller's retry continues it, or the
-- watch of the cluster writes its act. `act` has the acting actor, its ids and the name of the act.
create table cluster_write (
  write_id uuid primary key default gen_random_uuid(),
  actor text not null check (length(actor) between 1 and 300),
  key text not null check (length(key) between 1 and 255),
  request_hash bytea not null check (length(request_hash) <= 64),
  kind text not null check (kind in ('Agent', 'Entitlement', 'Schedule')),
  name text not null check (length(name) between 1 and 253),
  act jsonb not null check (length(act::text) <= 4000),
  begun_at timestamptz not null default now(),
  leased_until timestamptz not null,
  unique (actor, key)
);
create index cluster_write_by_resource on cluster_write (kind, name);

grant select, insert, update, delete on cluster_write to {app};
