-- The facts by which the API judged each call of a run, for trials of other rules: what it judged, not what the call said. ADR 95.
create table judged_call (
  judged_call_id uuid primary key default uuidv7(),
  run_id uuid not null,
  call_id text not null check (char_length(call_id) between 1 and 200),
  agent_id text not null check (length(agent_id) between 1 and 63),
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  tool text not null check (char_length(tool) between 1 and 64),
  -- Class of the call by its arguments; null for a tool of an MCP server, and for one that does not exist.
  tool_class text check (length(tool_class) between 1 and 64),
  -- Classes that a shell command needs; null for another call.
  classes text[] check (cardinality(classes) <= 32),
  -- Reasons why the effect of a command is unclear, in words; null if it is clear.
  unclear text check (char_length(unclear) between 1 and 500),
  -- The first text from outside that had reached the run; null if none had.
  taint_source text check (taint_source in ('tool', 'mcp', 'shell', 'egress', 'memory', 'parent', 'worker', 'conversation')),
  taint_detail text check (char_length(taint_detail) between 1 and 300),
  -- For a write that leaves a pod: whether a rule of the Agent lets plain writes out.
  by_rule boolean,
  -- The first words of a command, without secrets of known forms; gone with the run.
  words text check (char_length(words) between 1 and 200),
  -- The verdict at that time.
  verdict text not null check (verdict in ('allow', 'ask', 'deny')),
  policy_version text not null check (policy_version ~ '^[0-9a-f]{64}$'),
  judged_at timestamptz not null default clock_timestamp(),
  unique (run_id, call_id),
  check ((taint_source is null) = (taint_detail is null))
);
create index judged_call_by_time on judged_call (judged_at);
-- Calls of the week from before this table.
create index effect_by_time on effect (begun_at);

-- A later judgement of the same call replaces the facts, since taint and rules may have changed while a person was asked.
create function judged_call_keeps_its_call() returns trigger language plpgsql as $$
begin
  if (new.judged_call_id, new.run_id, new.call_id, new.agent_id, new.agent_uid, new.judged_at)
      is distinct from (old.judged_call_id, old.run_id, old.call_id, old.agent_id, old.agent_uid, old.judged_at) then
    raise exception 'call % of run % stays that call', old.call_id, old.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger keeps_its_call before update on judged_call for each row execute function judged_call_keeps_its_call();
alter table judged_call enable always trigger keeps_its_call;
create trigger no_truncate before truncate on judged_call for each statement execute function refuse_change();

-- There is no reference to run: the counts of a trial outlive it. Its words do not.
create function run_takes_its_words() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update judged_call set words = null where run_id = old.run_id and words is not null;
  return null;
end $$;
create trigger takes_its_words after delete on run for each row execute function run_takes_its_words();
alter table run enable always trigger takes_its_words;

grant select, insert, update, delete on judged_call to {app};
grant select (judged_call_id, run_id, call_id, agent_id, agent_uid, tool, tool_class, classes, taint_source, by_rule, verdict, policy_version, judged_at)
  on judged_call to {reader};
