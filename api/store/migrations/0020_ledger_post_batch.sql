-- ledger.post_batch of 0002_ledger_batch.sql, by the rules of 0020_ledger_post.sql: requests are compared by their columns, and a circumstance is
-- part of its transfer.
create or replace function ledger.post_batch(
  payer bigint[], payee bigint[], amount bigint[], key text[], reason ledger.reason[], source text[], note text[], actor_role text[], actor_id text[],
  event_at timestamptz[] default null, about jsonb[] default null
) returns setof ledger.batch_result language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_variable
declare
  size constant integer := cardinality(key);
  xact constant bigint := txid_current();
  presumed boolean := true;
  ids bigint[]; sums bigint[]; counts bigint[]; balances bigint[]; versions bigint[]; floors bigint[]; spendable bigint[]; overdraws boolean[]; closed boolean[];
  payers integer[]; payees integer[]; faults text[]; firsts integer[]; known uuid[]; known_same boolean[];
  transfer_ids uuid[]; replays boolean[]; refusals text[]; posted integer[];
  nothing constant bigint[] := array_fill(null::bigint, array[size]);
  payer_versions bigint[] := nothing; payer_balances bigint[] := nothing; payee_versions bigint[] := nothing; payee_balances bigint[] := nothing;
  p integer; q integer; a bigint; b bigint; v bigint; twin integer; code text; possible boolean; at timestamptz;
begin
  if size > 10000 then perform ledger.refuse('LD016'); end if;
  if size = 0 then return; end if;
  loop
    begin
      if presumed then
        select array_agg(x.account), array_agg(x.moved), array_agg(x.entries) into ids, sums, counts from (
          select x.account, sum(x.moved)::bigint as moved, count(*) as entries
          from (select unnest(payer) as account, -unnest(amount) as moved union all select unnest(payee), unnest(amount)) x group by x.account order by x.account
        ) x;
        -- A function copies the array of a variable at each call, but not that of a query: so (select ids || '{}').
        with moved as (
          update ledger.account a set balance = a.balance + sums[width_bucket(a.account_id, (select ids || '{}'::bigint[]))],
            version = a.version + counts[width_bucket(a.account_id, (select ids || '{}'::bigint[]))]
          where a.account_id = any (ids)
          returning a.account_id, a.balance, a.version, case when a.may_overdraw then -9223372036854775808 else a.held end as floor, a.may_overdraw, a.closed_at is null as is_open
        )
        select array_agg(m.balance), array_agg(m.version), array_agg(m.floor), array_agg(m.may_overdraw), count(*) = cardinality(ids) and bool_and(m.is_open)
          into balances, versions, floors, overdraws, possible from (select * from moved order by account_id) m;
        if not possible then raise sqlstate 'LD000'; end if;
        select array_agg(width_bucket(payer[i], (select ids || '{}'::bigint[]))), array_agg(width_bucket(payee[i], (select ids || '{}'::bigint[]))), array_agg(uuidv7()),
            count(ledger.fault(payer[i], payee[i], amount[i], key[i], source[i], note[i])) = 0
          into payers, payees, transfer_ids, possible from generate_series(1, size) i;
        if not possible then raise sqlstate 'LD000'; end if;
        for i in reverse size..1 loop
          p := payers[i];
          q := payees[i];
          a := amount[i];
          b := balances[p];
          if b < floors[p] then raise sqlstate 'LD000'; end if;
          payer_balances[i] := b;
          balances[p] := b + a;
          v := versions[p];
          payer_versions[i] := v;
          versions[p] := v - 1;
          b := balances[q];
          payee_balances[i] := b;
          balances[q] := b - a;
          v := versions[q];
          payee_versions[i] := v;
          versions[q] := v - 1;
        end loop;
      else
        select array_agg(a.account_id), array_agg(a.balance), array_agg(a.version), array_agg(a.balance - a.held), array_agg(a.may_overdraw), array_agg(a.closed_at is not null)
          into ids, balances, versions, spendable, overdraws, closed
          from (select * from ledger.account where account_id = any (payer || payee) order by account_id for no key update) a;
        ids := coalesce(ids, '{}');
        select array_agg(x.p order by x.item), array_agg(x.q order by x.item), array_agg(x.fault order by x.item),
            array_agg(x.first order by x.item), array_agg(x.known order by x.item), array_agg(x.same order by x.item)
          into payers, payees, faults, firsts, known, known_same
          from (
            select r.*, t.transfer_id as known, min(r.item) over (partition by r.key) as first,
                case when t.transfer_id is not null then ledger.is_same_request(t, payer[r.item], payee[r.item], amount[r.item], reason[r.item], source[r.item],
                  note[r.item], event_at[r.item], null, about[r.item] ->> 'related_post_id') end as same
            from (
              select i as item, key[i] as key, ledger.fault(payer[i], payee[i], amount[i], key[i], source[i], note[i]) as fault,
                case when ids[width_bucket(payer[i], (select ids || '{}'::bigint[]))] = payer[i] then width_bucket(payer[i], (select ids || '{}'::bigint[])) end as p,
                case when ids[width_bucket(payee[i], (select ids || '{}'::bigint[]))] = payee[i] then width_bucket(payee[i], (select ids || '{}'::bigint[])) end as q
              from generate_series(1, size) i offset 0
            ) r
            left join ledger.transfer t on t.idempotency_key = r.key
          ) x;
        transfer_ids := array_fill(null::uuid, array[size]);
        replays := array_fill(false, array[size]);
        refusals := array_fill(null::text, array[size]);
        posted := array_fill(null::integer, array[size]);
        payer_versions := nothing; payer_balances := nothing; payee_versions := nothing; payee_balances := nothing;
        for i in 1..size loop
          code := faults[i];
          if code is null then
            twin := posted[firsts[i]];
            p := payers[i];
            q := payees[i];
            if twin is not null or known[i] is not null then
              if twin is null and known_same[i] or twin is not null
                and (payer[i] >> 6, payee[i] >> 6, amount[i], reason[i], source[i], note[i], event_at[i], about[i] ->> 'related_post_id') is not distinct from
                  (payer[twin] >> 6, payee[twin] >> 6, amount[twin], reason[twin], source[twin], note[twin], event_at[twin], about[twin] ->> 'related_post_id')
              then
                transfer_ids[i] := coalesce(known[i], transfer_ids[twin]);
                replays[i] := true;
              else
                code := 'LD006';
              end if;
            elsif p is null or q is null then
              code := 'LD003';
            elsif closed[p] or closed[q] then
              code := 'LD002';
            elsif not overdraws[p] and spendable[p] < amount[i] then
              code := 'LD001';
            else
              transfer_ids[i] := uuidv7();
              posted[firsts[i]] := i;
              balances[p] := balances[p] - amount[i];
              spendable[p] := spendable[p] - amount[i];
              versions[p] := versions[p] + 1;
              payer_balances[i] := balances[p];
              payer_versions[i] := versions[p];
              balances[q] := balances[q] + amount[i];
              spendable[q] := spendable[q] + amount[i];
              versions[q] := versions[q] + 1;
              payee_balances[i] := balances[q];
              payee_versions[i] := versions[q];
            end if;
          end if;
          refusals[i] := code;
        end loop;
      end if;
      at := clock_timestamp();
      insert into ledger.transfer
        select transfer_ids[i], key[i], case when event_at[i] is null then '\x00'::bytea else '\x01'::bytea end, reason[i], payer[i], payer_versions[i], payee[i], payee_versions[i], amount[i], source[i], note[i],
          coalesce(event_at[i], at), at, actor_role[i], actor_id[i], xact, about[i]
        from generate_series(1, size) i where payer_versions[i] is not null;
      exit;
    exception when sqlstate 'LD000' or unique_violation or numeric_value_out_of_range then
      if not presumed then
        if sqlstate = '23505' then raise exception 'a key of the batch is being posted elsewhere' using errcode = 'serialization_failure'; end if;
        raise;
      end if;
      presumed := false;
    end;
  end loop;
  insert into ledger.entry
    select payer[i], payer_versions[i], transfer_ids[i], -amount[i], payer_balances[i], overdraws[payers[i]], at
      from generate_series(1, size) i where payer_versions[i] is not null
    union all
    select payee[i], payee_versions[i], transfer_ids[i], amount[i], payee_balances[i], overdraws[payees[i]], at
      from generate_series(1, size) i where payee_versions[i] is not null;
  if not presumed then
    update ledger.account a set balance = u.balance, version = u.version
      from unnest(ids, balances, versions) u(account_id, balance, version) where a.account_id = u.account_id and a.version <> u.version;
  end if;
  return query select i, transfer_ids[i], coalesce(replays[i], false), refusals[i] from generate_series(1, size) i;
end $$;
