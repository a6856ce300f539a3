-- What the API shows of the memory of agents. The agents' volumes have the memory itself; people's changes are numbered commands. ADR 116.
create table agent_memory_state (
  agent_uid text primary key check (length(agent_uid) between 1 and 64),
  agent_id text not null check (length(agent_id) between 1 and 63),
  -- Numbers of the newest command, and of the newest that the agent has applied.
  commands bigint not null default 0 check (commands >= 0),
  applied bigint not null default 0 check (applied >= 0),
  mind jsonb check (jsonb_typeof(mind) = 'object' and octet_length(mind::text) <= 16384),
  totals jsonb check (jsonb_typeof(totals) = 'object' and octet_length(totals::text) <= 1024),
  synced_at timestamptz
);

create table agent_memory (
  agent_uid text not null references agent_memory_state on delete cascade,
  memory_id text not null check (memory_id ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$'),
  kind text not null check (kind in ('fact', 'evidence', 'diary')),
  text text not null check (char_length(text) between 1 and 4000),
  about text check (char_length(about) between 1 and 200),
  speaker text check (char_length(speaker) between 1 and 200),
  -- People who may know it; null for everybody.
  audience text[] check (cardinality(audience) between 1 and 64),
  pinned boolean not null,
  dormant boolean not null,
  outside boolean not null,
  corrected boolean not null,
  importance double precision not null check (importance between 0 and 1),
  uses bigint not null check (uses >= 0),
  used_at timestamptz,
  since timestamptz not null,
  until timestamptz,
  replaces text check (length(replaces) between 1 and 64),
  -- Runs and sessions may be deleted before.
  run_id uuid,
  session_id uuid,
  repository text check (octet_length(repository) between 1 and 4000),
  words tsvector not null generated always as (to_tsvector('english'::regconfig, coalesce(about, '') || ' ' || text)) stored,
  primary key (agent_uid, memory_id)
);
create index agent_memory_by_age on agent_memory (agent_uid, since desc, memory_id desc);

create table agent_memory_command (
  agent_uid text not null references agent_memory_state on delete cascade,
  number bigint not null check (number >= 1),
  op text not null check (op in ('forget', 'pin', 'unpin', 'correct')),
  memory_id text not null check (length(memory_id) between 1 and 64),
  new_id text check (length(new_id) between 1 and 64),
  -- Deleted as soon as the agent has applied it.
  text text check (char_length(text) between 1 and 4000),
  by_id text not null check (length(by_id) between 1 and 300),
  by_name text not null check (char_length(by_name) between 1 and 200),
  at timestamptz not null default clock_timestamp(),
  primary key (agent_uid, number),
  check ((op = 'correct') = (new_id is not null)),
  check (op = 'correct' or text is null)
);
create index agent_memory_command_of_memory on agent_memory_command (agent_uid, memory_id);

-- When an admin last read memories of others; the audit names them once an hour.
create table agent_memory_look (
  agent_uid text not null references agent_memory_state on delete cascade,
  admin_id text not null check (length(admin_id) between 1 and 300),
  looked_at timestamptz not null default clock_timestamp(),
  primary key (agent_uid, admin_id)
);

grant select, insert, update, delete on agent_memory_state, agent_memory, agent_memory_command, agent_memory_look to {app};
-- No words.
grant select (agent_uid, agent_id, commands, applied, totals, synced_at) on agent_memory_state to {reader};
grant select (agent_uid, memory_id, kind, pinned, dormant, outside, corrected, importance, uses, used_at, since, until, replaces, run_id, session_id)
  on agent_memory to {reader};
grant select (agent_uid, number, op, memory_id, new_id, by_id, at) on agent_memory_command to {reader};
