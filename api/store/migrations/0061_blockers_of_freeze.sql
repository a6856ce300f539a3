-- A freeze ends the connections that hold it up. The API's role may end its own; this adds those of the owner, such as a VACUUM or a CREATE INDEX
-- CONCURRENTLY by hand, whose locks keep the gates from closing.

-- Ends the connections of the current role for which another one has waited too long. Spares another freeze.
create function end_blockers(waiting integer, wait_ms integer) returns void language sql set search_path = pg_catalog, pg_temp as $$
  select pg_terminate_backend(blocker.pid) from pg_stat_activity blocker
  where blocker.usename = current_user and blocker.pid = any(pg_blocking_pids(waiting)) and exists (
    select from pg_locks l where l.pid = waiting and not l.granted
      and l.waitstart < clock_timestamp() - wait_ms * interval '1 millisecond')
    and not exists (select from pg_locks l where l.pid = blocker.pid and l.mode = 'ShareRowExclusiveLock')
$$;

create function end_blockers_of_owner(waiting integer, wait_ms integer) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select public.end_blockers(waiting, wait_ms)
$$;

revoke all on function end_blockers, end_blockers_of_owner from public;
grant execute on function end_blockers, end_blockers_of_owner to {app};
