-- Memory of repositories, which all agents share that work in one. ADR 88.
create table repository_memory (
  -- Host and path, without user and scheme.
  repository text primary key check (octet_length(repository) between 1 and 1000),
  version bigint not null default 1 check (version >= 1),
  changed_at timestamptz not null default clock_timestamp()
);

create table repository_memory_entry (
  repository text not null references repository_memory on delete cascade,
  memory_id text not null check (memory_id ~ '^m-[0-9a-f]{12}$'),
  kind text not null check (kind in ('entity', 'relation')),
  -- Without the secrets that the API recognizes, as all texts of this table.
  name text not null check (char_length(name) between 1 and 200),
  type text not null check (char_length(type) between 1 and 200),
  target text check (char_length(target) between 1 and 200),
  about text check (char_length(about) between 1 and 120),
  observations jsonb not null
    check (jsonb_typeof(observations) = 'array' and jsonb_array_length(observations) <= 50 and octet_length(observations::text) <= 65536),
  pinned boolean not null,
  -- A tainted run wrote it, or another agent added to it.
  outside boolean not null,
  -- The agent that began it.
  agent_id text not null check (length(agent_id) between 1 and 63),
  -- The run of the last change, which may be deleted.
  run_id uuid not null,
  bytes integer not null check (bytes between 1 and 16384),
  changed_at timestamptz not null default clock_timestamp(),
  primary key (repository, memory_id),
  check ((kind = 'relation') = (target is not null))
);
create index repository_memory_entry_of_agent on repository_memory_entry (agent_id, repository);

-- Changes of an agent in the hour that began at `since`.
create table repository_memory_rate (
  agent_id text primary key check (length(agent_id) between 1 and 63),
  since timestamptz not null default clock_timestamp(),
  writes integer not null check (writes >= 0)
);

grant select, insert, update, delete on repository_memory, repository_memory_entry, repository_memory_rate to {app};
-- No words.
grant select on repository_memory to {reader};
grant select (repository, memory_id, kind, pinned, outside, agent_id, run_id, bytes, changed_at) on repository_memory_entry to {reader};
