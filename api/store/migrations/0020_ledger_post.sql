-- A cheaper transfer: the writers of 0002_ledger.sql keep the request itself instead of its hash, and its circumstance in the row of the transfer.
-- Measured by instructions of one call in a transaction of its own: 825,000 before with a circumstance and 575,000 without, 530,000 now with one.
-- Old rows stay as they are: request_hash has 32 bytes there, and their circumstance is in ledger.circumstance.

-- The post, pod uid, run, image digest and trace that are known, under the names of ledger.circumstance. Holds keep theirs there.
alter table ledger.transfer add column about jsonb;

-- A repeated key is the same request, whichever shard and process it came by. request_hash of a new row is one byte: 1 where the caller gave event_at.
create function ledger.is_same_request(
  t ledger.transfer, payer bigint, payee bigint, amount bigint, reason ledger.reason, source text, note text, event_at timestamptz, undone uuid,
  related_post_id text
) returns boolean language sql stable as $$
  select case when length(t.request_hash) = 32 then
    t.request_hash = ledger.request_hash(payer, payee, amount, reason, source, note, event_at, undone, related_post_id)
  else
    (t.payer >> 6, t.payee >> 6, t.amount, t.reason, t.source, t.note) = (payer >> 6, payee >> 6, amount, reason, source, note)
      and case t.request_hash when '\x01' then t.event_at end is not distinct from event_at
      and (select r.reverses from ledger.reversal r where r.transfer_id = t.transfer_id) is not distinct from undone
      and t.about ->> 'related_post_id' is not distinct from related_post_id
  end
$$;

-- Answers a request that moved both accounts and was not posted. A twin that committed while this one waited for its locks is found by its key:
-- the accounts go back, which nobody has seen, and the answer is the twin's. Anything else is a refusal, which rolls back.
create function ledger.answer_unposted(
  payer bigint, payee bigint, amount bigint, key text, reason ledger.reason, source text, note text, event_at timestamptz, about jsonb,
  released bigint, settled boolean, undone uuid
) returns ledger.posted language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  known ledger.transfer;
begin
  select * into known from ledger.transfer t where t.idempotency_key = key;
  if not found then
    perform ledger.refuse(case when exists (select 1 from ledger.reversal r where r.reverses = undone) then 'LD013' else ledger.why_not(payer, payee, settled) end);
  end if;
  if ledger.is_same_request(known, payer, payee, amount, reason, source, note, event_at, undone, about ->> 'related_post_id') is not true then
    perform ledger.refuse('LD006');
  end if;
  update ledger.account a set balance = a.balance + amount, held = a.held + released, version = a.version - 1 where a.account_id = payer;
  update ledger.account a set balance = a.balance - amount, version = a.version - 1 where a.account_id = payee;
  return (known.transfer_id, true)::ledger.posted;
end $$;

create function ledger.refuse_malformed(payer bigint, payee bigint, amount bigint, key text, source text, note text) returns ledger.posted
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger.refuse(coalesce(ledger.fault(payer, payee, amount, key, source, note), 'LD003'));
end $$;

-- Posts one transfer. A refusal is an exception with an SQLSTATE of its own, see ledger.refuse. It runs once a transaction, so each operator of its
-- expressions is set up once a call: few are left (measured: 2,000 to 3,000 instructions each). An account is moved before it is judged.
-- It runs with the caller's search_path, since one of its own costs 15,000 instructions. So types here have their schema or are key words (a
-- temporary type is found first otherwise), and nobody but the owner may create a function or an operator that a name could find. A test holds both.
create or replace function ledger.post(
  payer bigint, payee bigint, amount bigint, key text, reason ledger.reason, source text, note text, actor_role text, actor_id text,
  event_at timestamptz default null, about jsonb default null
) returns ledger.posted language plpgsql security definer as $$
#variable_conflict use_variable
declare
  id constant pg_catalog.uuid := uuidv7();
  payer_version bigint; payer_balance bigint; payer_held bigint; payer_overdraws boolean; payer_closed timestamp with time zone;
  payee_version bigint; payee_balance bigint; payee_overdraws boolean; payee_closed timestamp with time zone;
  at timestamp with time zone;
begin
  if (amount between 1 and 1000000000000000 and payer <> payee and least(payer, payee) < 0 and length(key) between 1 and 400
    and length(source) between 1 and 200 and length(note) <= 500) is not true
  then
    return ledger.refuse_malformed(payer, payee, amount, key, source, note);
  end if;
  if payer < payee then
    update ledger.account a set balance = a.balance - amount, version = a.version + 1 where a.account_id = payer
      returning a.version, a.balance, a.held, a.may_overdraw, a.closed_at into payer_version, payer_balance, payer_held, payer_overdraws, payer_closed;
    update ledger.account a set balance = a.balance + amount, version = a.version + 1 where a.account_id = payee
      returning a.version, a.balance, a.may_overdraw, a.closed_at, clock_timestamp() into payee_version, payee_balance, payee_overdraws, payee_closed, at;
  else
    update ledger.account a set balance = a.balance + amount, version = a.version + 1 where a.account_id = payee
      returning a.version, a.balance, a.may_overdraw, a.closed_at into payee_version, payee_balance, payee_overdraws, payee_closed;
    update ledger.account a set balance = a.balance - amount, version = a.version + 1 where a.account_id = payer
      returning a.version, a.balance, a.held, a.may_overdraw, a.closed_at, clock_timestamp()
      into payer_version, payer_balance, payer_held, payer_overdraws, payer_closed, at;
  end if;
  if payee_version is not null and payer_closed is null and payee_closed is null and (payer_overdraws or payer_balance >= payer_held) then
    insert into ledger.transfer values (
      id, key, case when event_at is null then '\x00'::pg_catalog.bytea else '\x01'::pg_catalog.bytea end, reason, payer, payer_version, payee, payee_version, amount,
      source, note, coalesce(event_at, at), at, actor_role, actor_id, txid_current(), about
    ) on conflict (idempotency_key) do nothing;
    if found then
      insert into ledger.entry values
        (payer, payer_version, id, -amount, payer_balance, payer_overdraws, at),
        (payee, payee_version, id, amount, payee_balance, payee_overdraws, at);
      return (id, false)::ledger.posted;
    end if;
  end if;
  return ledger.answer_unposted(payer, payee, amount, key, reason, source, note, event_at, about, 0, false, null);
end $$;
alter function ledger.post reset all;

-- The writer for the other doors (resolve_hold, reverse): released is the amount that was held for this; settled: it began before, so that accounts
-- may be closed by now; forced: below zero if need be; undone: the transfer that this one reverses. Otherwise as ledger.post.
create or replace function ledger.write(
  id uuid, payer bigint, payee bigint, amount bigint, key text, reason ledger.reason, source text, note text, actor_role text, actor_id text,
  event_at timestamptz, about jsonb, released bigint, settled boolean, forced boolean, undone uuid
) returns ledger.posted language plpgsql as $$
#variable_conflict use_variable
declare
  payer_version bigint; payer_balance bigint; payer_held bigint; payer_overdraws boolean; payer_closed timestamptz;
  payee_version bigint; payee_balance bigint; payee_overdraws boolean; payee_closed timestamptz;
  at timestamptz;
begin
  if ledger.fault(payer, payee, amount, key, source, note) is not null then
    perform ledger.refuse(ledger.fault(payer, payee, amount, key, source, note));
  end if;
  if payer < payee then
    update ledger.account a set balance = a.balance - amount, held = a.held - released, version = a.version + 1 where a.account_id = payer
      returning a.version, a.balance, a.held, a.may_overdraw, a.closed_at into payer_version, payer_balance, payer_held, payer_overdraws, payer_closed;
    update ledger.account a set balance = a.balance + amount, version = a.version + 1 where a.account_id = payee
      returning a.version, a.balance, a.may_overdraw, a.closed_at, clock_timestamp() into payee_version, payee_balance, payee_overdraws, payee_closed, at;
  else
    update ledger.account a set balance = a.balance + amount, version = a.version + 1 where a.account_id = payee
      returning a.version, a.balance, a.may_overdraw, a.closed_at into payee_version, payee_balance, payee_overdraws, payee_closed;
    update ledger.account a set balance = a.balance - amount, held = a.held - released, version = a.version + 1 where a.account_id = payer
      returning a.version, a.balance, a.held, a.may_overdraw, a.closed_at, clock_timestamp()
      into payer_version, payer_balance, payer_held, payer_overdraws, payer_closed, at;
  end if;
  if payer_version is not null and payee_version is not null
    and (settled or payer_closed is null and payee_closed is null) and (forced or payer_overdraws or payer_balance >= payer_held)
  then
    insert into ledger.transfer values (
      id, key, case when event_at is null then '\x00'::bytea else '\x01'::bytea end, reason, payer, payer_version, payee, payee_version, amount,
      source, note, coalesce(event_at, at), at, actor_role, actor_id, txid_current(), about
    ) on conflict (idempotency_key) do nothing;
    if found then
      insert into ledger.entry values
        (payer, payer_version, id, -amount, payer_balance, payer_overdraws or (forced and payer_balance < 0), at),
        (payee, payee_version, id, amount, payee_balance, payee_overdraws, at);
      if undone is not null then
        insert into ledger.reversal values (id, undone) on conflict do nothing;
        if not found then perform ledger.refuse('LD013'); end if;
      end if;
      return (id, false)::ledger.posted;
    end if;
  end if;
  return ledger.answer_unposted(payer, payee, amount, key, reason, source, note, event_at, about, released, settled, undone);
end $$;

-- A uuid of a circumstance; null for text that is none, so that no row can keep the log from being sealed.
create function ledger.uuid_of(about jsonb, name text) returns uuid language sql immutable parallel safe as $$
  select case when pg_input_is_valid(about ->> name, 'uuid') then (about ->> name)::uuid end
$$;

-- The leaf is of the same version and fields as before; a circumstance comes from where its row has it.
do $leaf$
declare
  before text := pg_get_viewdef('log.leaf'::regclass);
  later text := before;
  name text;
begin
  foreach name in array array['related_post_id', 'run_id'] loop
    later := replace(later, 'c.' || name, format('coalesce(c.%1$I, ledger.uuid_of(t.about, %1$L))', name));
  end loop;
  foreach name in array array['pod_uid', 'image_digest', 'traceparent'] loop
    later := replace(later, 'c.' || name, format('coalesce(c.%1$I, t.about ->> %1$L)', name));
  end loop;
  if length(later) - length(before) < 100 then raise exception 'log.leaf does not read a circumstance as this migration expects'; end if;
  execute 'create or replace view log.leaf as ' || later;
end $leaf$;

-- Postgres looks for types and relations in the session's temporary schema first, unless the path names it last: the api's role could make a
-- function of the owner meet a type of its own.
do $paths$
declare
  f regprocedure;
begin
  for f in select p.oid from pg_proc p where p.prosecdef and p.pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    and p.oid <> 'ledger.post'::regproc
  loop
    execute format('alter function %s set search_path = pg_catalog, pg_temp', f);
  end loop;
end $paths$;

revoke create on schema public from public;
revoke all on function ledger.is_same_request, ledger.answer_unposted, ledger.refuse_malformed, ledger.uuid_of from public;
grant execute on function ledger.uuid_of to {app}, {reader};
