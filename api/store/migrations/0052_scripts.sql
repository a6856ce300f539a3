-- Scripts that agents register for themselves, with their newest versions. They outlive pods and volumes, and end with the life. ADR 96.
create table script (
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  name text not null check (name ~ '^[a-z][a-z0-9_-]{0,39}$'),
  agent_id text not null check (length(agent_id) between 1 and 63),
  created_at timestamptz not null default clock_timestamp(),
  runs bigint not null default 0 check (runs >= 0),
  -- The newest call that began it. The call may have gone with its run.
  last_run_id uuid,
  last_call_id text check (length(last_call_id) between 1 and 200),
  last_run_at timestamptz,
  primary key (agent_uid, name)
);
create index script_of_agent on script (agent_id);

create table script_version (
  agent_uid text not null,
  name text not null,
  -- The first 32 digits of the SHA-256 of everything that the village runs and shows.
  version text not null check (version ~ '^[0-9a-f]{32}$'),
  language text not null check (language in ('bash', 'python', 'node')),
  description text not null check (char_length(description) between 1 and 500),
  -- Without the secrets that the API recognizes.
  source text not null check (octet_length(source) between 1 and 49152),
  parameters jsonb not null check (jsonb_typeof(parameters) = 'object' and pg_column_size(parameters) <= 16384),
  -- Text from outside had reached the run that saved it, or it comes from another agent. Never taken back.
  tainted boolean not null,
  -- The agent and the deliverable that it comes from.
  adopted_from text check (length(adopted_from) between 1 and 63),
  artifact_id uuid,
  -- The call that saved it; null for a request outside of a run.
  run_id uuid,
  call_id text check (length(call_id) between 1 and 200),
  saved_at timestamptz not null default clock_timestamp(),
  primary key (agent_uid, name, version),
  foreign key (agent_uid, name) references script on delete cascade,
  check ((adopted_from is null) = (artifact_id is null)),
  check (adopted_from is null or tainted)
);
create index script_version_by_age on script_version (agent_uid, name, saved_at desc);

create function script_version_keeps_its_text() returns trigger language plpgsql as $$
begin
  if (new.agent_uid, new.name, new.version, new.language, new.description, new.source, new.parameters, new.adopted_from, new.artifact_id)
    is distinct from (old.agent_uid, old.name, old.version, old.language, old.description, old.source, old.parameters, old.adopted_from, old.artifact_id)
    or (old.tainted and not new.tainted) then
    raise exception 'version % of script % never changes', old.version, old.name using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger keeps_its_text before update on script_version for each row execute function script_version_keeps_its_text();
alter table script_version enable always trigger keeps_its_text;

-- Another life has no scripts of the one before it.
create function life_takes_its_scripts() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from script where agent_uid = new.uid;
  return null;
end $$;
create trigger takes_its_scripts after insert or update of closed_at on agent_life for each row when (new.closed_at is not null)
  execute function life_takes_its_scripts();
alter table agent_life enable always trigger takes_its_scripts;

alter table run_taint drop constraint run_taint_source_check;
alter table run_taint add constraint run_taint_source_check
  check (source in ('tool', 'mcp', 'shell', 'egress', 'memory', 'parent', 'worker', 'conversation', 'script'));
alter table judged_call drop constraint judged_call_taint_source_check;
alter table judged_call add constraint judged_call_taint_source_check
  check (taint_source in ('tool', 'mcp', 'shell', 'egress', 'memory', 'parent', 'worker', 'conversation', 'script'));
alter table artifact drop constraint artifact_deliverable_check;
alter table artifact add constraint artifact_deliverable_check check (deliverable in ('file', 'patch', 'table', 'script'));

grant select, insert, update, delete on script, script_version to {app};
grant select on script to {reader};
-- No words and no source.
grant select (agent_uid, name, version, language, tainted, adopted_from, artifact_id, run_id, call_id, saved_at) on script_version to {reader};
