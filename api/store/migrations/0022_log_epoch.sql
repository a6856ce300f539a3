-- A dump that is loaded into a new cluster of Postgres brings numbers of transactions that the new cluster has not reached. So a number in the log is
-- the number of the transaction plus an offset, and a cluster that takes over a loaded village (api/store/src/log/adopt-cluster.ts) raises the offset
-- to the greatest stored number: numbers keep growing, and no row that is there changes. docs/adr/0046-restored-villages.md.

-- Stable, not immutable: Postgres puts the body in place of a call either way, and only then plans again where the function is replaced.
create function log.xact_offset() returns bigint language sql stable parallel safe as $$ select 0::bigint $$;

-- Whether rows carry numbers that this cluster has yet to reach. Ask outside of a transaction that has written such rows itself.
create function log.is_behind() returns boolean language plpgsql stable set enable_seqscan = off as $$
declare
  next constant bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint + log.xact_offset();
begin
  return exists (select from log.head where xact >= next)
    or exists (select from ledger.transfer where xact >= next)
    or exists (select from public.audit where xact >= next)
    or exists (select from public.turn where xact >= next);
end $$;

alter table public.audit alter column xact set default txid_current() + log.xact_offset();
alter table public.turn alter column xact set default txid_current() + log.xact_offset();

-- The functions that post are those of 0020, but for the number.
do $$
declare
  posting regprocedure;
  definition text;
begin
  for posting in select p.oid from pg_proc p where p.pronamespace = 'ledger'::regnamespace and p.prosrc like '%txid_current()%' loop
    definition := replace(pg_get_functiondef(posting), 'txid_current()', 'txid_current() + log.xact_offset()');
    execute definition;
  end loop;
  if posting is null then raise exception 'no function of the ledger writes the number of its transaction'; end if;
end $$;

revoke all on function log.xact_offset, log.is_behind from public;
grant execute on function log.xact_offset, log.is_behind to {app}, {reader};
