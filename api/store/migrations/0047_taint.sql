-- Taint: text from outside has reached a run. A mark is never taken back, and the API and the records of the broker alone set it. ADR 90.
create table run_taint (
  run_id uuid not null,
  -- The first mark of each source stays.
  source text not null check (source in ('tool', 'mcp', 'shell', 'egress', 'memory', 'parent', 'worker', 'conversation')),
  -- The tool, server, host, memory or program that brought the text.
  detail text not null check (char_length(detail) between 1 and 300),
  call_id text check (char_length(call_id) between 1 and 200),
  -- The run from which the text came.
  from_run_id uuid,
  at timestamptz not null default clock_timestamp(),
  primary key (run_id, source),
  check ((source in ('parent', 'worker', 'conversation')) = (from_run_id is not null))
);
create trigger append_only before update or truncate on run_taint for each statement execute function refuse_change();
alter table run_taint enable always trigger append_only;
create function taint_stays_with_its_run() returns trigger language plpgsql as $$
begin
  if exists (select from run where run_id = old.run_id) then
    raise exception 'a mark of run % is never taken back', old.run_id using errcode = 'check_violation';
  end if;
  return old;
end $$;
create trigger stays_with_its_run before delete on run_taint for each row execute function taint_stays_with_its_run();
alter table run_taint enable always trigger stays_with_its_run;

-- A reference to run would wait for the lock of the run, and the broker's records must not: so the end of a run removes its marks.
create function run_takes_its_taint() returns trigger language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  delete from run_taint where run_id = old.run_id;
  return null;
end $$;
create trigger takes_its_taint after delete on run for each row execute function run_takes_its_taint();
alter table run enable always trigger takes_its_taint;

-- Marks a run, and the runs that wait for its result; false if the source has marked it before. Locks no run.
create function taint_run(tainted uuid, origin text, words text, in_call text, other uuid) returns boolean language plpgsql as $$
declare
  waiting uuid;
begin
  insert into run_taint (run_id, source, detail, call_id, from_run_id) values (tainted, origin, left(words, 300), in_call, other)
    on conflict (run_id, source) do nothing;
  if not found then return false; end if;
  perform pg_notify('run_change', tainted::text);
  select parent_run_id into waiting from run where run_id = tainted;
  if waiting is not null and origin <> 'parent' then
    perform taint_run(waiting, 'worker', 'a worker', null, tainted);
  end if;
  return true;
end $$;

-- Memories that tainted runs wrote. A run that recalls one is tainted too.
create table memory_taint (
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  memory_id text not null check (length(memory_id) between 1 and 64),
  run_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  -- The least recently used marks beyond a limit end.
  used_at timestamptz not null default clock_timestamp(),
  primary key (agent_uid, memory_id)
);
create index memory_taint_by_use on memory_taint (agent_uid, used_at desc);

alter table permission add column taint jsonb check (jsonb_typeof(taint) = 'array' and octet_length(taint::text) <= 8192);
-- Whether a rule of a person holds in tainted runs: only one that they gave for a tainted run.
alter table allow_rule add column tainted boolean not null default false;
drop index allow_rule_one_of_agent;
drop index allow_rule_one_of_session;
create unique index allow_rule_one_of_agent on allow_rule (agent_uid, tool, coalesce(allow_key, ''), tainted)
  where session_id is null and revoked_at is null;
create unique index allow_rule_one_of_session on allow_rule (session_id, created_by_id, agent_uid, tool, coalesce(allow_key, ''), tainted)
  where session_id is not null and revoked_at is null;
create function allow_rule_keeps_its_taint() returns trigger language plpgsql as $$
begin
  if new.tainted is distinct from old.tainted then
    raise exception 'the reach of rule % never changes', old.rule_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger keeps_its_taint before update on allow_rule for each row execute function allow_rule_keeps_its_taint();
alter table allow_rule enable always trigger keeps_its_taint;

-- Lists of tools that a worker has: of the call that began it, and of the calls that began its parents. A tool must be in each.
alter table run add column tool_lists jsonb check (jsonb_typeof(tool_lists) = 'array' and octet_length(tool_lists::text) <= 65536);
create function worker_keeps_its_tools() returns trigger language plpgsql as $$
begin
  if new.tool_lists is distinct from old.tool_lists then
    raise exception 'the tools of run % never change', old.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger keeps_its_tools before update on run for each row execute function worker_keeps_its_tools();
alter table run enable always trigger keeps_its_tools;

grant select, insert on run_taint to {app};
grant select, insert, update, delete on memory_taint to {app};
grant select (run_id, source, call_id, from_run_id, at) on run_taint to {reader};
