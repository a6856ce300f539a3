-- Skills of runs, and what residents found of everything that their Agents were promised. ADR 91, 92.

-- The last report of an agent's resident. The agent claims it: it decides nothing.
create table agent_report (
  agent_id text primary key check (length(agent_id) between 1 and 63),
  uid text not null check (length(uid) between 1 and 64),
  cycle bigint not null check (cycle >= 0),
  capabilities jsonb not null check (jsonb_typeof(capabilities) = 'array' and pg_column_size(capabilities) <= 65536),
  skills jsonb not null check (jsonb_typeof(skills) = 'array' and pg_column_size(skills) <= 262144),
  reported_at timestamptz not null default clock_timestamp()
);

-- The skills of a run with their versions, as its first attempt found them.
create table run_skill_set (
  run_id uuid primary key references run on delete cascade,
  agent_id text not null check (length(agent_id) between 1 and 63),
  skills jsonb not null check (jsonb_typeof(skills) = 'array' and jsonb_array_length(skills) <= 16 and pg_column_size(skills) <= 16384),
  sha256 bytea not null check (length(sha256) = 32),
  pinned_at timestamptz not null default clock_timestamp()
);
create index run_skill_set_of_agent on run_skill_set (agent_id, run_id desc);

-- The first call of a run by which its model asked for a skill.
create table skill_load (
  run_id uuid not null references run_skill_set on delete cascade,
  name text not null check (length(name) between 1 and 64),
  call_id text not null check (length(call_id) between 1 and 200),
  -- Without the secrets that the API recognizes.
  why text not null check (length(why) <= 1024),
  loaded_at timestamptz not null default clock_timestamp(),
  primary key (run_id, name)
);

create trigger append_only before update on run_skill_set for each row execute function refuse_change();
alter table run_skill_set enable always trigger append_only;
create trigger append_only before update on skill_load for each row execute function refuse_change();
alter table skill_load enable always trigger append_only;
create trigger no_truncate before truncate on run_skill_set for each statement execute function refuse_change();
create trigger no_truncate before truncate on skill_load for each statement execute function refuse_change();

grant select, insert, update on agent_report to {app};
grant select, insert on run_skill_set, skill_load to {app};
grant select on agent_report, run_skill_set to {reader};
grant select (run_id, name, call_id, loaded_at) on skill_load to {reader};
