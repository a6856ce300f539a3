-- A run that only its agent's repository and the registries of the village have reached: an admin chose these sources. ADR 90.
alter table run_taint drop constraint run_taint_source_check;
alter table run_taint add constraint run_taint_source_check
  check (source in ('tool', 'mcp', 'shell', 'egress', 'supply', 'memory', 'parent', 'worker', 'conversation', 'script'));
alter table judged_call drop constraint judged_call_taint_source_check;
alter table judged_call add constraint judged_call_taint_source_check
  check (taint_source in ('tool', 'mcp', 'shell', 'egress', 'supply', 'memory', 'parent', 'worker', 'conversation', 'script'));

-- True if only such sources had reached the run when it wrote the memory.
alter table memory_taint add column supply boolean not null default false;

-- As before, and a mark of such sources reaches the waiting run as one of them.
create or replace function taint_run(tainted uuid, origin text, words text, in_call text, other uuid) returns boolean language plpgsql as $$
declare
  waiting uuid;
begin
  insert into run_taint (run_id, source, detail, call_id, from_run_id) values (tainted, origin, left(words, 300), in_call, other)
    on conflict (run_id, source) do nothing;
  if not found then return false; end if;
  perform pg_notify('run_change', tainted::text);
  select parent_run_id into waiting from run where run_id = tainted;
  if waiting is not null and origin = 'supply' then
    perform taint_run(waiting, 'supply', words, null, null);
  elsif waiting is not null and origin <> 'parent' then
    perform taint_run(waiting, 'worker', 'a worker', null, tainted);
  end if;
  return true;
end $$;
