-- The facts of a village. Roles: the owner runs this file; {app} reads and writes what is granted below and has no DDL;
-- {reader} reads what is no secret. The names in braces are put in by the migrator.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

-- One row: when the village began (tick 0) and the seed of everything that is random in it.
create table village (
  singleton boolean primary key default true check (singleton),
  genesis timestamptz not null default date_trunc('milliseconds', now()),
  seed bigint not null check (seed between 0 and 4294967295),
  stream_epoch text not null default replace(gen_random_uuid()::text, '-', '')
);
insert into village (seed) values (floor(random() * 4294967296)::bigint);

-- Who may write the world. The epoch only grows; every append holds this row FOR SHARE and names its epoch, so that a writer
-- whose lease another one took can commit nothing more.
create table world_lease (
  singleton boolean primary key default true check (singleton),
  epoch bigint not null default 0 check (epoch >= 0),
  holder text not null default '',
  until timestamptz not null default '-infinity'
);
insert into world_lease default values;

create table world_event (
  seq bigint primary key check (seq > 0),
  tick bigint not null check (tick >= 0),
  epoch bigint not null,
  kind text not null,
  agent_id text,
  event jsonb not null,
  committed_at timestamptz not null default now()
);
create index world_event_by_agent on world_event (agent_id, seq);

-- Movement, packed: the moves, arrivals and emotes of one commit (or of several, once compacted). Its seqs lie in [seq_from, seq_to],
-- with those of world_event between them; both together are gapless.
create table world_move_chunk (
  seq_from bigint primary key check (seq_from > 0),
  seq_to bigint not null check (seq_to >= seq_from),
  tick_from bigint not null,
  tick_to bigint not null check (tick_to >= tick_from),
  epoch bigint not null,
  count integer not null check (count > 0),
  packed bytea not null
);
create index world_move_chunk_by_end on world_move_chunk (seq_to);

create table world_snapshot (
  seq bigint primary key check (seq >= 0),
  tick bigint not null,
  epoch bigint not null,
  state_hash text not null,
  state bytea not null,
  taken_at timestamptz not null default now()
);

-- A life of an agent: one uid of its custom resource. The id keeps its home over lives.
create table agent_life (
  uid text primary key check (length(uid) between 1 and 64),
  agent_id text not null check (length(agent_id) between 1 and 63),
  home text,
  cycle bigint not null default 0 check (cycle >= 0),
  opened_at timestamptz not null default now(),
  closed_at timestamptz check (closed_at >= opened_at)
);
create unique index agent_life_one_open on agent_life (agent_id) where closed_at is null;
create index agent_life_by_agent on agent_life (agent_id, opened_at desc);

-- An agent token: the hash of 256 random bits, bound to a life and a run cycle. A revoked row is the deny list.
create table agent_session (
  token_hash bytea primary key check (length(token_hash) = 32),
  jti uuid not null unique,
  agent_id text not null,
  uid text not null references agent_life,
  cycle bigint not null,
  issued_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index agent_session_by_uid on agent_session (uid, cycle);
create index agent_session_by_expiry on agent_session (expires_at);

-- Whether an agent holds a wake stream, and on which replica of the api. stream_no counts the streams of an agent: the newest is the one.
create table agent_presence (
  agent_id text primary key,
  uid text not null,
  cycle bigint not null,
  connected boolean not null,
  replica_id text not null,
  stream_no bigint not null check (stream_no > 0),
  last_seen timestamptz not null default now()
);

create table api_replica (
  replica_id text primary key,
  seen_at timestamptz not null default now()
);

-- What the operator hears, in order; inserted under an advisory lock so that no smaller id is committed after a greater one.
create table internal_event (
  id bigint generated always as identity primary key,
  event text not null check (event in ('standing', 'presence')),
  data jsonb not null,
  at timestamptz not null default now()
);

-- Lifecycle of the sample agents where there is no cluster to keep it (make dev).
create table sample_agent (
  agent_id text primary key,
  uid text not null unique,
  power text not null default 'Awake' check (power in ('Awake', 'Asleep')),
  rebooted_at timestamptz,
  cycle bigint not null default 1 check (cycle >= 1),
  created_at timestamptz not null default now()
);

create table account (
  account_id uuid primary key,
  name text not null check (length(name) between 1 and 64),
  role text not null check (role in ('member', 'admin')),
  password_hash text not null,
  created_at timestamptz not null default now()
);
create unique index account_by_name on account (lower(name));

create table account_session (
  id_hash bytea primary key check (length(id_hash) = 32),
  account_id uuid not null references account on delete cascade,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index account_session_by_expiry on account_session (expires_at);

create table api_key (
  key_hash bytea primary key check (length(key_hash) = 32),
  name text not null,
  role text not null check (role in ('member', 'admin', 'agent', 'operator')),
  agent_id text check ((role = 'agent') = (agent_id is not null)),
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

-- The answer to a write, in the transaction of its effect. Kept 24 hours.
create table idempotency_key (
  actor text not null,
  key text not null check (length(key) between 1 and 255),
  request_hash bytea not null,
  status integer not null,
  answer jsonb not null,
  created_at timestamptz not null default now(),
  primary key (actor, key)
);
create index idempotency_key_by_age on idempotency_key (created_at);

create table turn (
  turn_id uuid primary key,
  agent_id text not null,
  uid text not null,
  cycle bigint not null,
  recorded_at timestamptz not null default now(),
  turn jsonb not null
);
create index turn_by_agent on turn (agent_id, recorded_at desc, turn_id desc);

create table audit (
  audit_id uuid primary key,
  at timestamptz not null default now(),
  actor_role text not null,
  actor_id text not null,
  action text not null,
  object text not null,
  detail jsonb not null,
  request_id text not null,
  traceparent text
);
create index audit_by_object on audit (object, at desc);

create trigger append_only before update or delete or truncate on turn for each statement execute function refuse_change();
alter table turn enable always trigger append_only;
create trigger append_only before update or delete or truncate on audit for each statement execute function refuse_change();
alter table audit enable always trigger append_only;
create trigger append_only before update or delete or truncate on world_event for each statement execute function refuse_change();
alter table world_event enable always trigger append_only;

grant usage on schema public to {app}, {reader};
grant select on village to {app}, {reader};
grant select, update on world_lease to {app};
grant select, insert on world_event, turn, audit to {app};
grant select, insert, delete on world_move_chunk, world_snapshot to {app};
grant select, insert, update on agent_life, agent_presence, sample_agent, account, api_key to {app};
grant select, insert, update, delete on agent_session, account_session, idempotency_key, api_replica to {app};
grant select, insert, delete on internal_event to {app};
grant select on world_lease, world_event, world_move_chunk, world_snapshot, agent_life, agent_presence, turn, audit to {reader};
