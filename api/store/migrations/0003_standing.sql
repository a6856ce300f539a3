-- What admins hold against agents, and the tier that each balance opens.

-- One row for each time a measure was taken. It holds while it is not lifted and its end lies ahead; it is never deleted and nothing of
-- it but its lifting is ever changed, so that the table is its own history.
create table standing_measure (
  measure_id uuid primary key default uuidv7(),
  agent_id text not null check (length(agent_id) between 1 and 63),
  measure text not null check (measure in ('kill', 'ban', 'quarantine', 'freeze', 'revoke_token')),
  reason text not null check (length(reason) between 1 and 500),
  by_role text not null,
  by_id text not null,
  since timestamptz not null default now(),
  expires_at timestamptz,
  lifted_at timestamptz,
  lifted_by_role text,
  lifted_by_id text,
  lift_reason text check (length(lift_reason) between 1 and 500),
  check ((lifted_at is null) = (lifted_by_role is null)),
  check ((lifted_at is null) = (lifted_by_id is null))
);
create unique index standing_measure_one_open on standing_measure (agent_id, measure) where lifted_at is null;
create index standing_measure_by_agent on standing_measure (agent_id, since desc);
create index standing_measure_by_end on standing_measure (expires_at) where lifted_at is null and expires_at is not null;

-- The Entitlement that an agent's balance opens, as computed in the transaction of the posting that moved it. Lock order: an account of
-- the ledger before a row of this table, rows of this table by agent_id, and the lock that orders internal_event last.
create table agent_tier (
  agent_id text primary key check (length(agent_id) between 1 and 63),
  balance_tier text,
  since timestamptz not null default now()
);

alter table internal_event drop constraint internal_event_event_check;
alter table internal_event add constraint internal_event_event_check check (event in ('standing', 'presence', 'schedule'));

grant select, insert on standing_measure to {app};
grant update (lifted_at, lifted_by_role, lifted_by_id, lift_reason) on standing_measure to {app};
grant select, insert, update on agent_tier to {app};
grant select on standing_measure, agent_tier to {reader};
