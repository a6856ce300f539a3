-- As before, but a mark of 'supply' reaches the waiting run first: the records of the broker mark a parent before its worker too, so
-- that two marks of one source never wait for each other. ADR 90.
create or replace function taint_run(tainted uuid, origin text, words text, in_call text, other uuid) returns boolean language plpgsql as $$
declare
  waiting uuid;
begin
  if exists (select from run_taint where run_id = tainted and source = origin) then return false; end if;
  select parent_run_id into waiting from run where run_id = tainted;
  if waiting is not null and origin = 'supply' then perform taint_run(waiting, 'supply', words, null, null); end if;
  insert into run_taint (run_id, source, detail, call_id, from_run_id) values (tainted, origin, left(words, 300), in_call, other)
    on conflict (run_id, source) do nothing;
  if not found then return false; end if;
  perform pg_notify('run_change', tainted::text);
  if waiting is not null and origin not in ('parent', 'supply') then
    perform taint_run(waiting, 'worker', 'a worker', null, tainted);
  end if;
  return true;
end $$;
