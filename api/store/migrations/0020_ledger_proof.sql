-- A proof of the books that costs as much as they have grown since the last one, beside ledger.check(), which reads everything.

-- How far the books are proven. since: every row of the ledger with an older id has been looked at.
create table ledger.proof (
  singleton boolean primary key default true check (singleton),
  since timestamptz not null default '-infinity'
);
insert into ledger.proof default values;

-- The entries of an account up to this version add up to this balance, without a gap.
create table ledger.proven_account (
  account_id bigint primary key,
  version bigint not null,
  balance bigint not null
);

-- Resolutions arrive in the order of their times, so a summary for each megabyte finds the newest of them, at no price to who writes.
create index resolution_by_time on ledger.resolution using brin (created_at) with (pages_per_range = 32, autosummarize = on);

-- The smallest id that uuidv7 can have made at a moment.
create function ledger.first_id_of(moment timestamptz) returns uuid language sql immutable as $$
  select (lpad(to_hex(greatest(0, floor(extract(epoch from greatest(moment, 'epoch')) * 1000))::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Proves what is new: the rules of ledger.check(), in one snapshot, for entries beyond what is proven of their account, and for transfers, holds,
-- resolutions and reversals from a quarter of an hour before the last proof on (no transaction takes longer, so none is committed unseen).
-- Where all rules hold, the next proof begins here. Returns nothing where another session proves at this moment. By index alone (see the settings):
-- the planner does not know how little of the books is new.
create function ledger.check_new() returns table (rule text, broken bigint) language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  from_id uuid;
  began timestamptz := clock_timestamp();
  from_time timestamptz;
  names text[];
  counts bigint[];
begin
  select ledger.first_id_of(p.since), p.since into from_id, from_time from ledger.proof p for update skip locked;
  if not found then return; end if;
  with
  moved as (
    select a.account_id, a.balance, a.version, coalesce(p.version, 0) as proven_version, coalesce(p.balance, 0) as proven_balance
    from ledger.account a left join ledger.proven_account p using (account_id)
    where a.version <> coalesce(p.version, 0) or a.balance <> coalesce(p.balance, 0)
  ),
  fresh as materialized (
    select e.*, m.proven_balance + sum(e.amount) over w as total
    from moved m cross join lateral (select * from ledger.entry e where e.account_id = m.account_id and e.version > m.proven_version) e
    window w as (partition by e.account_id order by e.version)
  ),
  account_sum as (select account_id, sum(amount) as total, count(*) as entries, max(version) as newest from fresh group by account_id),
  open_sum as (select payer, sum(amount) as total from ledger.open_hold group by payer),
  rules as (
    select 'entries_sum_to_zero' as rule, (select (coalesce(sum(amount), 0) <> 0)::integer::bigint from fresh) as broken
    union all select 'balance_is_the_sum_of_entries', (select count(*) from moved m left join account_sum s using (account_id)
      where m.balance <> m.proven_balance + coalesce(s.total, 0))
    union all select 'versions_are_gapless', (select count(*) from moved m left join account_sum s using (account_id)
      where m.version <> m.proven_version + coalesce(s.entries, 0) or m.version <> coalesce(s.newest, m.proven_version))
    union all select 'running_balance_is_the_running_sum', (select count(*) from fresh where balance_after <> total)
    union all select 'no_overdraft', (select count(*) from fresh where not below_zero and amount < 0 and balance_after < 0)
    union all select 'transfer_has_its_two_entries', (select count(*) from ledger.transfer t
      left join ledger.entry p on p.account_id = t.payer and p.version = t.payer_version and p.transfer_id = t.transfer_id and p.amount = -t.amount
      left join ledger.entry q on q.account_id = t.payee and q.version = t.payee_version and q.transfer_id = t.transfer_id and q.amount = t.amount
      where t.transfer_id >= from_id and (p.account_id is null or q.account_id is null or t.amount < 1 or t.payer = t.payee or (t.payer > 0 and t.payee > 0)))
    union all select 'entry_has_its_transfer', (select count(*) from fresh e left join ledger.transfer t on t.transfer_id = e.transfer_id
      where t.transfer_id is null or (e.account_id, e.version, e.amount) not in ((t.payer, t.payer_version, -t.amount), (t.payee, t.payee_version, t.amount)))
    union all select 'held_is_the_sum_of_open_holds', (select count(*) from ledger.account a left join open_sum o on o.payer = a.account_id
      where a.held <> coalesce(o.total, 0))
    union all select 'hold_is_open_or_resolved', (select count(*) from (
        select h.hold_id from ledger.hold h where h.hold_id >= from_id union select r.hold_id from ledger.resolution r where r.created_at >= from_time
      ) n join ledger.hold h using (hold_id) left join ledger.open_hold o using (hold_id) left join ledger.resolution r using (hold_id)
      where (o.hold_id is null) = (r.hold_id is null) or r.amount > h.amount
        or (r.outcome = 'posted' and not exists (select 1 from ledger.transfer t where t.transfer_id = r.transfer_id and t.payer = h.payer and t.amount = r.amount)))
    union all select 'reversal_mirrors_its_transfer', (select count(*) from ledger.reversal v join ledger.transfer t using (transfer_id)
      join ledger.transfer u on u.transfer_id = v.reverses
      where v.transfer_id >= from_id and (t.payer <> u.payee or t.payee <> u.payer or t.amount <> u.amount))
  ),
  proven as (
    insert into ledger.proven_account select m.account_id, m.version, m.balance from moved m where (select bool_and(r.broken = 0) from rules r)
    on conflict (account_id) do update set version = excluded.version, balance = excluded.balance
  )
  select array_agg(r.rule), array_agg(r.broken) into names, counts from rules r;
  if 0 = all (counts) then update ledger.proof set since = began - interval '15 minutes'; end if;
  return query select * from unnest(names, counts);
end $$;

-- Books that are there already are read whole once, here, where no limit of time ends it; broken ones are left for the first proof to report.
insert into ledger.proven_account select account_id, version, balance from ledger.account
  where version > 0 and not exists (select 1 from ledger.check() c where c.broken <> 0);
update ledger.proof set since = clock_timestamp() - interval '15 minutes' where exists (select 1 from ledger.proven_account);

revoke all on function ledger.check_new, ledger.first_id_of from public;
grant select on ledger.proof, ledger.proven_account to {app}, {reader};
grant execute on function ledger.check_new to {app};
