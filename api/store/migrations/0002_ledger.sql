-- The ledger of aiDollars: append-only and double-entry, in micro-aiDollars. docs/ECONOMY.md has its invariants; 0002_ledger_batch.sql posts many
-- at once, and 0002_ledger_holds.sql has what builds on the writer.
-- Only the functions of this schema write here: {app} may call those granted at the end, and has no INSERT, UPDATE, DELETE or TRUNCATE.
-- Order of locks: accounts by account_id, then keys. Who posts more than once in a transaction uses post_batch, or takes a deadlock as "again".
--
-- What a posting touches has no CHECK and no foreign key: Postgres parses a CHECK anew in every statement (measured: one on entry costs 8 % of
-- the throughput, all that would fit 40 %). The writer refuses what they would refuse, and ledger.check() proves it of what is stored.
create schema ledger;

create type ledger.reason as enum ('reward', 'penalty', 'deposit_credit', 'purchase_compute', 'usage', 'refund', 'adjustment');

-- 64 numbers are set aside for each account, above zero for an agent's and below for the village's: account_id >> 6 is the account, the rest the shard.
-- balance, held and version repeat what entries and open holds sum to; they are what a posting locks.
create sequence ledger.account_number;
create table ledger.account (
  account_id bigint primary key,
  book text not null,
  owner text not null,
  shard smallint not null,
  may_overdraw boolean not null,
  balance bigint not null default 0,
  held bigint not null default 0,
  version bigint not null default 0,
  opened_at timestamptz not null default now(),
  closed_at timestamptz,
  unique (book, owner, shard)
) with (fillfactor = 50);

-- Money that moved, and who moved it. xact, the number of the transaction: with pg_snapshot_xmin it tells a reader that follows the ledger that
-- nothing smaller is still to come. By its old name, txid_current: from pg_current_xact_id a bigint is two casts by text (measured: 5 % of a transfer).
create table ledger.transfer (
  transfer_id uuid primary key,
  idempotency_key text not null unique,
  request_hash bytea not null,
  reason ledger.reason not null,
  payer bigint not null,
  payer_version bigint not null,
  payee bigint not null,
  payee_version bigint not null,
  amount bigint not null,
  source text not null,
  note text not null,
  event_at timestamptz not null,
  created_at timestamptz not null,
  actor_role text not null,
  actor_id text not null,
  xact bigint not null
);

-- Two for each transfer. below_zero: the account may be below zero by rule (the village's own), or was forced there (a reversal of what is spent).
create table ledger.entry (
  account_id bigint not null,
  version bigint not null,
  transfer_id uuid not null,
  amount bigint not null,
  balance_after bigint not null,
  below_zero boolean not null,
  created_at timestamptz not null,
  primary key (account_id, version) include (amount)
);

-- What a transfer or a hold was about, where something is known: the post, and the very process that asked.
create table ledger.circumstance (
  id uuid primary key,
  related_post_id uuid,
  pod_uid text,
  run_id uuid,
  image_digest text,
  traceparent text
);
create index circumstance_by_post on ledger.circumstance (related_post_id) where related_post_id is not null;
create index circumstance_by_run on ledger.circumstance (run_id) where run_id is not null;

create table ledger.reversal (
  transfer_id uuid primary key references ledger.transfer,
  reverses uuid not null unique references ledger.transfer
);

-- replayed: the key was posted before, by the same request.
create type ledger.posted as (transfer_id uuid, replayed boolean);

create function ledger.refuse(code text) returns void language plpgsql as $$
declare
  words constant jsonb := '{"LD001": "insufficient funds", "LD002": "account closed", "LD003": "no such account", "LD004": "amount out of range",
    "LD005": "payer and payee are one account", "LD006": "idempotency key was used with another request", "LD007": "agents never pay agents",
    "LD008": "no such hold", "LD009": "hold is resolved", "LD010": "hold has expired", "LD011": "more than is held", "LD012": "no such transfer",
    "LD013": "transfer is reversed", "LD014": "a reversal is not reversed", "LD015": "hold has not expired", "LD016": "batch too large",
    "LD017": "key, source or note is missing or too long"}';
begin
  raise exception using errcode = code, message = words ->> code;
end $$;

-- Opens an account of one or more shards, or opens it again. Not for {app}, which opens those of agents.
create function ledger.open_account(of_book text, of_owner text, shards integer, overdraw boolean) returns bigint language plpgsql as $$
declare
  id bigint;
begin
  if of_book !~ '^[a-z][a-z_]{0,30}$' or length(of_owner) > 63 or shards not between 1 and 64 then
    raise exception 'no account can be called % % or have % shards', of_book, of_owner, shards using errcode = 'invalid_parameter_value';
  end if;
  select a.account_id into id from ledger.account a where a.book = of_book and a.owner = of_owner and a.shard = 0;
  if not found then
    id := nextval('ledger.account_number') * case of_book when 'agent' then 64 else -64 end;
    insert into ledger.account (account_id, book, owner, shard, may_overdraw)
      select id + shard, of_book, of_owner, shard, overdraw from generate_series(0, shards - 1) shard on conflict do nothing;
    select a.account_id into id from ledger.account a where a.book = of_book and a.owner = of_owner and a.shard = 0;
  end if;
  update ledger.account a set closed_at = null where a.account_id = id and a.closed_at is not null;
  return id;
end $$;

-- The village's own accounts may be below zero: treasury by what it has given out, deposits by what came from outside; compute is what was spent.
select ledger.open_account(book, '', 32, true) from unnest(array['treasury', 'deposits', 'compute']) book;

-- A shard of one of the village's accounts; each session keeps to its own, so that none waits for another's commit.
create function ledger.village_account(of_book text) returns bigint language sql volatile security definer set search_path = pg_catalog as $$
  select account_id from ledger.account where book = of_book and owner = '' and shard = pg_backend_pid() % 32
$$;

create function ledger.open_agent(agent_id text) returns bigint language sql security definer set search_path = pg_catalog as $$
  select ledger.open_account('agent', agent_id, 1, false)
$$;

create function ledger.close_agent(agent_id text) returns void language sql security definer set search_path = pg_catalog as $$
  update ledger.account set closed_at = clock_timestamp() where book = 'agent' and owner = agent_id and closed_at is null
$$;

-- Agents that lived before there was a ledger.
select ledger.open_agent(agent_id) from (select distinct agent_id from public.agent_life) lived;
select ledger.close_agent(agent_id) from (select agent_id from public.agent_life group by agent_id having bool_and(closed_at is not null)) ended;

-- What is wrong with a request whatever the books say; null where nothing is.
create function ledger.fault(payer bigint, payee bigint, amount bigint, key text, source text, note text) returns text language sql immutable as $$
  select case
    when amount is null or amount < 1 or amount > 1000000000000000 then 'LD004'
    when payer = payee then 'LD005'
    when payer > 0 and payee > 0 then 'LD007'
    when (length(key) between 1 and 400 and length(source) between 1 and 200 and length(note) <= 500) is not true then 'LD017'
  end
$$;

-- What is asked for, whichever shard and process it came by. Postgres puts it in the place of its call: as an assignment of its own in the writer
-- it costs one in ten transfers a second (measured).
create function ledger.request_hash(
  payer bigint, payee bigint, amount bigint, reason ledger.reason, source text, note text, event_at timestamptz, undone uuid, related_post_id text
) returns bytea language sql stable as $$
  select sha256(record_send(row(payer >> 6, payee >> 6, amount, reason::text, source, note, event_at, undone, related_post_id)))
$$;

-- Why nothing can move between two accounts; null where it can.
create function ledger.why_not(payer_id bigint, payee_id bigint, settled boolean) returns text language plpgsql stable as $$
declare
  payer ledger.account;
  payee ledger.account;
begin
  select * into payer from ledger.account where account_id = payer_id;
  select * into payee from ledger.account where account_id = payee_id;
  return case
    when payer.account_id is null or payee.account_id is null then 'LD003'
    when not settled and (payer.closed_at is not null or payee.closed_at is not null) then 'LD002'
    else 'LD001' end;
end $$;

-- The writer. released: what was held for this; settled: it began before, so that accounts may be closed by now; forced: below zero if need be;
-- undone: the transfer that this one reverses. An account is moved before it is judged: a refusal rolls back, and a twin that was committed while
-- this one waited for the locks is found by its key.
create function ledger.write(
  id uuid, payer bigint, payee bigint, amount bigint, key text, reason ledger.reason, source text, note text, actor_role text, actor_id text,
  event_at timestamptz, about jsonb, released bigint, settled boolean, forced boolean, undone uuid
) returns ledger.posted language plpgsql as $$
#variable_conflict use_variable
declare
  payer_version bigint; payer_balance bigint; payer_held bigint; payer_overdraws boolean; payer_closed timestamptz;
  payee_version bigint; payee_balance bigint; payee_overdraws boolean; payee_closed timestamptz;
  at timestamptz; known record;
begin
  if (amount between 1 and 1000000000000000 and payer <> payee and (payer < 0 or payee < 0) and length(key) between 1 and 400
    and length(source) between 1 and 200 and length(note) <= 500) is not true
  then
    perform ledger.refuse(coalesce(ledger.fault(payer, payee, amount, key, source, note), 'LD003'));
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
      id, key, ledger.request_hash(payer, payee, amount, reason, source, note, event_at, undone, about ->> 'related_post_id'), reason,
      payer, payer_version, payee, payee_version, amount, source, note, coalesce(event_at, at), at, actor_role, actor_id, txid_current()
    ) on conflict (idempotency_key) do nothing;
    if found then
      insert into ledger.entry values
        (payer, payer_version, id, -amount, payer_balance, payer_overdraws or (forced and payer_balance < 0), at),
        (payee, payee_version, id, amount, payee_balance, payee_overdraws, at);
      if about is not null or undone is not null then
        insert into ledger.circumstance select id, c.related_post_id, c.pod_uid, c.run_id, c.image_digest, c.traceparent
          from jsonb_populate_record(null::ledger.circumstance, about) c where about is not null;
        if undone is not null then
          insert into ledger.reversal values (id, undone) on conflict do nothing;
          if not found then perform ledger.refuse('LD013'); end if;
        end if;
      end if;
      return (id, false)::ledger.posted;
    end if;
  end if;
  select t.transfer_id, t.request_hash into known from ledger.transfer t where t.idempotency_key = key;
  if not found then
    perform ledger.refuse(case when exists (select 1 from ledger.reversal r where r.reverses = undone) then 'LD013' else ledger.why_not(payer, payee, settled) end);
  end if;
  if known.request_hash <> ledger.request_hash(payer, payee, amount, reason, source, note, event_at, undone, about ->> 'related_post_id') then
    perform ledger.refuse('LD006');
  end if;
  -- The twin has moved the money: what was moved here goes back. Nobody has seen it.
  update ledger.account a set balance = a.balance + amount, held = a.held + released, version = a.version - 1 where a.account_id = payer;
  update ledger.account a set balance = a.balance - amount, version = a.version - 1 where a.account_id = payee;
  return (known.transfer_id, true)::ledger.posted;
end $$;

-- Posts one transfer. A refusal is an exception with an SQLSTATE of its own, see ledger.refuse. It is the writer itself, made from its text with its
-- last arguments in their places: a call within the call costs one in twenty transfers a second, and so do variables for them (measured).
do $make$
declare
  writer text := (select prosrc from pg_proc where oid = 'ledger.write'::regproc);
  fixed text[];
begin
  foreach fixed slice 1 in array array[['released', '0'], ['settled', 'false'], ['forced', 'false'], ['undone', 'null::uuid']] loop
    writer := regexp_replace(writer, '\m' || fixed[1] || '\M', fixed[2], 'g');
  end loop;
  execute format('create function ledger.post(
    payer bigint, payee bigint, amount bigint, key text, reason ledger.reason, source text, note text, actor_role text, actor_id text,
    event_at timestamptz default null, about jsonb default null
  ) returns ledger.posted language plpgsql security definer set search_path = pg_catalog as %L',
    overlay(writer placing 'declare id constant uuid := uuidv7();' from strpos(writer, 'declare') for 7));
end $make$;
