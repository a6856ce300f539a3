-- What builds on the ledger's writer: holds, reversals, reads at a moment, allowances, the proof that the books are right, and who may call what.

-- Money set aside. A hold is never changed: it ends by one resolution. open_hold is the working set of those not resolved; deleting its row is
-- what a resolution begins with, so that of many only one goes on.
create table ledger.hold (
  hold_id uuid primary key,
  idempotency_key text not null unique,
  request_hash bytea not null,
  payer bigint not null references ledger.account,
  payee bigint not null references ledger.account,
  amount bigint not null check (amount > 0),
  reason ledger.reason not null,
  source text not null,
  note text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  actor_role text not null,
  actor_id text not null
);
create index hold_by_payer on ledger.hold (payer, created_at);

create table ledger.open_hold (
  hold_id uuid primary key references ledger.hold,
  payer bigint not null,
  amount bigint not null,
  expires_at timestamptz not null
);
create index open_hold_by_end on ledger.open_hold (expires_at);

create type ledger.outcome as enum ('posted', 'voided', 'expired');
create table ledger.resolution (
  hold_id uuid primary key references ledger.hold,
  outcome ledger.outcome not null,
  transfer_id uuid unique check ((outcome = 'posted') = (transfer_id is not null)),
  amount bigint not null check (amount >= 0 and (outcome = 'posted') = (amount > 0)),
  idempotency_key text not null,
  created_at timestamptz not null,
  actor_role text not null,
  actor_id text not null
);

-- What a member has given and taken on a day of the village, in micro-aiDollars.
create table ledger.allowance (
  member_id text not null,
  day date not null,
  used bigint not null check (used > 0),
  primary key (member_id, day)
);

create type ledger.held as (hold_id uuid, replayed boolean);

-- Sets money aside until it is posted, voided or has expired.
create function ledger.hold(
  payer bigint, payee bigint, amount bigint, key text, reason ledger.reason, source text, note text, actor_role text, actor_id text,
  expires_at timestamptz, about jsonb default null
) returns ledger.held language plpgsql security definer set search_path = pg_catalog as $$
#variable_conflict use_variable
declare
  id uuid := uuidv7();
  fault text := ledger.fault(payer, payee, amount, key, source, note);
  -- Not of the end: one that is asked for again may name a later one, and keeps its first.
  hash bytea := sha256(convert_to(row(payer >> 6, payee >> 6, amount, reason, source, note, about ->> 'related_post_id')::text, 'UTF8'));
  account ledger.account; known record; at timestamptz;
begin
  if fault is not null then perform ledger.refuse(fault); end if;
  update ledger.account a set held = a.held + amount where a.account_id = payer returning a.* into account;
  at := clock_timestamp();
  if account.closed_at is null and (account.may_overdraw or account.balance >= account.held) and expires_at > at
    and exists (select 1 from ledger.account a where a.account_id = payee and a.closed_at is null)
  then
    insert into ledger.hold values (id, key, hash, payer, payee, amount, reason, source, note, at, expires_at, actor_role, actor_id) on conflict do nothing;
    if found then
      insert into ledger.open_hold values (id, payer, amount, expires_at);
      if about is not null then
        insert into ledger.circumstance select id, c.related_post_id, c.pod_uid, c.run_id, c.image_digest, c.traceparent
          from jsonb_populate_record(null::ledger.circumstance, about) c;
      end if;
      return (id, false)::ledger.held;
    end if;
  end if;
  select h.hold_id, h.request_hash into known from ledger.hold h where h.idempotency_key = key;
  if not found then perform ledger.refuse(case when expires_at > at then ledger.why_not(payer, payee, false) else 'LD010' end); end if;
  if known.request_hash <> hash then perform ledger.refuse('LD006'); end if;
  update ledger.account a set held = a.held - amount where a.account_id = payer;
  return (known.hold_id, true)::ledger.held;
end $$;

-- Ends a hold, once: posts all or part of it (the rest is free again), voids it, or notes that it has expired. The same key again gets the same
-- answer. What was held is posted even where the account has been closed meanwhile.
create function ledger.resolve_hold(id uuid, outcome ledger.outcome, part bigint, key text, actor_role text, actor_id text, about jsonb default null)
returns ledger.posted language plpgsql security definer set search_path = pg_catalog as $$
#variable_conflict use_variable
declare
  h ledger.hold; known ledger.resolution; at timestamptz; transfer uuid; spent bigint := 0;
begin
  select * into h from ledger.hold where hold_id = id;
  if not found then perform ledger.refuse('LD008'); end if;
  if outcome = 'posted' then
    spent := coalesce(part, h.amount);
    if spent < 1 then perform ledger.refuse('LD004'); end if;
    if spent > h.amount then perform ledger.refuse('LD011'); end if;
    transfer := uuidv7();
  end if;
  delete from ledger.open_hold where hold_id = id;
  if not found then
    select * into known from ledger.resolution where hold_id = id;
    if known.idempotency_key = key and known.outcome = outcome and known.amount = spent then return (known.transfer_id, true)::ledger.posted; end if;
    perform ledger.refuse('LD009');
  end if;
  at := clock_timestamp();
  if outcome = 'posted' and h.expires_at <= at then perform ledger.refuse('LD010'); end if;
  if outcome = 'expired' and h.expires_at > at then perform ledger.refuse('LD015'); end if;
  insert into ledger.resolution values (id, outcome, transfer, spent, key, at, actor_role, actor_id);
  if outcome = 'posted' then
    if (ledger.write(transfer, h.payer, h.payee, spent, key, h.reason, h.source, h.note, actor_role, actor_id, null, about, h.amount, true, true, null)).replayed then
      perform ledger.refuse('LD006');
    end if;
    return (transfer, false)::ledger.posted;
  end if;
  update ledger.account set held = held - h.amount where account_id = h.payer;
  return (null, false)::ledger.posted;
end $$;

-- Frees what has expired, at most so many. Replicas may do it at once: each takes what no other has.
create function ledger.expire_holds(at_most integer) returns integer language plpgsql security definer set search_path = pg_catalog as $$
declare
  due record; done integer := 0;
begin
  for due in
    select o.hold_id from ledger.open_hold o where o.expires_at <= clock_timestamp() order by o.payer, o.hold_id limit at_most for update skip locked
  loop
    perform ledger.resolve_hold(due.hold_id, 'expired', null, 'expiry of ' || due.hold_id, 'system', 'system');
    done := done + 1;
  end loop;
  return done;
end $$;

-- Moves a transfer's money back, once. forced: even where the payee has spent it; its balance is below zero then, and it spends nothing until it is not.
create function ledger.reverse(
  undone uuid, key text, reason ledger.reason, source text, note text, actor_role text, actor_id text, forced boolean default false, about jsonb default null
) returns ledger.posted language plpgsql security definer set search_path = pg_catalog as $$
#variable_conflict use_variable
declare
  t ledger.transfer;
begin
  select * into t from ledger.transfer where transfer_id = undone;
  if not found then perform ledger.refuse('LD012'); end if;
  if exists (select 1 from ledger.reversal r where r.transfer_id = undone) then perform ledger.refuse('LD014'); end if;
  if exists (select 1 from ledger.reversal r join ledger.transfer v using (transfer_id) where r.reverses = undone and v.idempotency_key <> key) then
    perform ledger.refuse('LD013');
  end if;
  return ledger.write(uuidv7(), t.payee, t.payer, t.amount, key, reason, source, note, actor_role, actor_id, null, about, 0, true, forced, undone);
end $$;

-- A moment that no later posting to these accounts can be dated before, at the latest the one asked for. Waits for postings that are under way.
create function ledger.freeze(accounts bigint[], moment timestamptz) returns timestamptz language plpgsql security definer set search_path = pg_catalog as $$
begin
  perform 1 from ledger.account where account_id = any (accounts) order by account_id for share;
  return least(moment, clock_timestamp());
end $$;

-- The books hold to their rules: one row for each rule, with how often it is broken. One snapshot for all.
create function ledger.check() returns table (rule text, broken bigint) language sql security definer set search_path = pg_catalog as $$
  with
  account_sum as (select account_id, sum(amount) as total, count(*) as entries, max(version) as newest from ledger.entry group by account_id),
  running as (select below_zero, amount, balance_after, sum(amount) over (partition by account_id order by version) as total from ledger.entry),
  open_sum as (select payer, sum(amount) as total from ledger.open_hold group by payer)
  select 'entries_sum_to_zero', (select (coalesce(sum(amount), 0) <> 0)::integer::bigint from ledger.entry)
  union all select 'balance_is_the_sum_of_entries', (select count(*) from ledger.account a left join account_sum s using (account_id)
    where a.balance <> coalesce(s.total, 0))
  union all select 'versions_are_gapless', (select count(*) from ledger.account a left join account_sum s using (account_id)
    where a.version <> coalesce(s.entries, 0) or a.version <> coalesce(s.newest, 0))
  union all select 'running_balance_is_the_running_sum', (select count(*) from running where balance_after <> total)
  union all select 'no_overdraft', (select count(*) from running where not below_zero and amount < 0 and balance_after < 0)
  union all select 'transfer_has_its_two_entries', (select count(*) from ledger.transfer t
    left join ledger.entry p on p.account_id = t.payer and p.version = t.payer_version and p.transfer_id = t.transfer_id and p.amount = -t.amount
    left join ledger.entry q on q.account_id = t.payee and q.version = t.payee_version and q.transfer_id = t.transfer_id and q.amount = t.amount
    where p.account_id is null or q.account_id is null or t.amount < 1 or t.payer = t.payee or (t.payer > 0 and t.payee > 0))
  union all select 'entry_has_its_transfer', (select abs((select count(*) from ledger.entry) - 2 * (select count(*) from ledger.transfer)))
  union all select 'held_is_the_sum_of_open_holds', (select count(*) from ledger.account a left join open_sum o on o.payer = a.account_id
    where a.held <> coalesce(o.total, 0))
  union all select 'hold_is_open_or_resolved', (select count(*) from ledger.hold h left join ledger.open_hold o using (hold_id) left join ledger.resolution r using (hold_id)
    where (o.hold_id is null) = (r.hold_id is null) or r.amount > h.amount
      or (r.outcome = 'posted' and not exists (select 1 from ledger.transfer t where t.transfer_id = r.transfer_id and t.payer = h.payer and t.amount = r.amount)))
  union all select 'reversal_mirrors_its_transfer', (select count(*) from ledger.reversal v join ledger.transfer t using (transfer_id)
    join ledger.transfer u on u.transfer_id = v.reverses where t.payer <> u.payee or t.payee <> u.payer or t.amount <> u.amount)
$$;

do $$
declare
  name text;
begin
  foreach name in array array['transfer', 'entry', 'circumstance', 'reversal', 'hold', 'resolution'] loop
    execute format('create trigger append_only before update or delete or truncate on ledger.%I for each statement execute function public.refuse_change()', name);
    execute format('alter table ledger.%I enable always trigger append_only', name);
  end loop;
end $$;
create trigger never_lost before delete or truncate on ledger.account for each statement execute function public.refuse_change();
alter table ledger.account enable always trigger never_lost;

revoke all on all functions in schema ledger from public;
grant usage on schema ledger to {app}, {reader};
grant select on all tables in schema ledger to {app}, {reader};
grant insert, update, delete on ledger.allowance to {app};
grant execute on function ledger.village_account, ledger.open_agent, ledger.close_agent, ledger.post, ledger.post_batch, ledger.hold, ledger.resolve_hold,
  ledger.expire_holds, ledger.reverse, ledger.freeze, ledger.check to {app};
grant execute on function ledger.check to {reader};
