-- Compute that agents buy: what was bought and for which time, GPU windows that nobody has twice, and auctions of such windows with their bids.
-- Money is the ledger's alone: a purchase names the hold it was paid from and the transfer that paid it, a bid the hold that stands behind it.
-- Order of locks: auction, accounts by account_id, bid, gpu_window, purchase, agent_tier, and the lock that orders internal_event last.
create extension if not exists btree_gist;

-- A time in which a lane (the GPUs that are sold together) is one agent's alone. `offered` is set aside for an auction, `withdrawn` is nobody's.
create table gpu_window (
  window_id uuid primary key default uuidv7(),
  lane text not null check (length(lane) between 1 and 63),
  resource_name text not null check (length(resource_name) between 1 and 128),
  count integer not null check (count between 1 and 16),
  during tstzrange not null check (not isempty(during) and lower_inc(during) and not upper_inc(during) and isfinite(lower(during)) and isfinite(upper(during))),
  state text not null check (state in ('offered', 'sold', 'withdrawn')),
  agent_id text check (length(agent_id) between 1 and 63),
  check ((state = 'sold') = (agent_id is not null)),
  constraint gpu_window_sold_once exclude using gist (lane with =, during with &&) where (state <> 'withdrawn')
);

create table auction (
  auction_id uuid primary key default uuidv7(),
  window_id uuid not null unique references gpu_window,
  reserve bigint not null check (reserve between 1 and 1000000000000000),
  closes_at timestamptz not null,
  note text not null check (length(note) <= 500),
  state text not null default 'open' check (state in ('open', 'sold', 'unsold', 'cancelled', 'lapsed')),
  created_by_role text not null,
  created_by_id text not null,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  end_reason text check (length(end_reason) between 1 and 500),
  winner text,
  price bigint check (price >= reserve),
  check ((state = 'open') = (ended_at is null)),
  check ((state = 'sold') = (winner is not null)),
  check ((state = 'sold') = (price is not null))
);
create index auction_by_close on auction (closes_at) where state = 'open';

-- place: the order in which bids were placed; of two of one amount the first wins.
create table bid (
  bid_id uuid primary key default uuidv7(),
  auction_id uuid not null references auction,
  agent_id text not null check (length(agent_id) between 1 and 63),
  amount bigint not null check (amount > 0),
  hold_id uuid not null unique references ledger.hold,
  place bigint generated always as identity,
  placed_at timestamptz not null default clock_timestamp(),
  outcome text not null default 'open' check (outcome in ('open', 'replaced', 'won', 'lost', 'passed_over', 'returned'))
);
create unique index bid_one_open on bid (auction_id, agent_id) where outcome = 'open';
create unique index bid_one_winner on bid (auction_id) where outcome = 'won';
create index bid_by_auction on bid (auction_id, amount desc, place);

-- What was bought. It lasts by the clock alone: nothing has to happen for it to end. told: what the operator has heard of it.
create table purchase (
  purchase_id uuid primary key default uuidv7(),
  agent_id text not null check (length(agent_id) between 1 and 63),
  kind text not null check (kind in ('quota', 'priority', 'model', 'gpu')),
  quota text check (quota in ('requests_per_minute', 'tokens_per_hour')),
  amount bigint check (amount between 1 and 1000000000),
  model text check (length(model) between 1 and 128),
  window_id uuid unique references gpu_window,
  during tstzrange not null check (not isempty(during) and lower_inc(during) and not upper_inc(during) and isfinite(lower(during)) and isfinite(upper(during))),
  price bigint not null check (price > 0),
  hold_id uuid not null unique references ledger.hold,
  transfer_id uuid not null unique references ledger.transfer,
  auction_id uuid unique references auction,
  bought_by_role text not null,
  bought_by_id text not null,
  bought_at timestamptz not null default now(),
  told text not null default 'nothing' check (told in ('nothing', 'begun', 'ended')),
  check ((kind = 'quota') = (quota is not null)),
  check ((kind = 'quota') = (amount is not null)),
  check ((kind = 'model') = (model is not null)),
  check ((kind = 'gpu') = (window_id is not null)),
  check (auction_id is null or kind = 'gpu')
);
create index purchase_by_agent on purchase (agent_id, purchase_id desc);
create index purchase_lasting on purchase using gist (agent_id, during);
-- When the operator is to be told something of it next.
create index purchase_by_news on purchase ((case told when 'nothing' then lower(during) else upper(during) end)) where told <> 'ended';

-- What was sold stays sold, what has ended stays as it ended, a bid is resolved once. The grants below keep all else of a row as it was written.
create trigger sold_stays before update on gpu_window for each row when (old.state <> 'offered') execute function refuse_change();
create trigger ended_stays before update on auction for each row when (old.state <> 'open') execute function refuse_change();
create trigger resolved_stays before update on bid for each row when (old.outcome <> 'open') execute function refuse_change();
do $$
declare
  name text;
begin
  foreach name in array array['gpu_window', 'auction', 'bid', 'purchase'] loop
    execute format('create trigger never_lost before delete or truncate on %I for each statement execute function refuse_change()', name);
    execute format('alter table %I enable always trigger never_lost', name);
  end loop;
  alter table gpu_window enable always trigger sold_stays;
  alter table auction enable always trigger ended_stays;
  alter table bid enable always trigger resolved_stays;
end $$;

-- Locks accounts in the ledger's own order, for a transaction that moves money of several.
create function ledger.lock_accounts(accounts bigint[]) returns void language plpgsql security definer set search_path = pg_catalog as $$
begin
  perform 1 from ledger.account where account_id = any (accounts) order by account_id for no key update;
end $$;

-- Purchases, auctions and the ledger agree: one row for each rule, with how often it is broken. One snapshot for all.
create function trade_check() returns table (rule text, broken bigint) language sql stable security definer set search_path = pg_catalog, public as $$
  select 'no_window_is_sold_twice', (select count(*) from gpu_window a join gpu_window b
    on a.lane = b.lane and a.during && b.during and a.window_id < b.window_id and a.state <> 'withdrawn' and b.state <> 'withdrawn')
  union all select 'sold_window_has_its_purchase', (select count(*) from gpu_window w left join purchase p using (window_id)
    where (w.state = 'sold') <> (p.purchase_id is not null) or p.agent_id <> w.agent_id or p.during <> w.during)
  union all select 'purchase_is_paid_from_its_hold', (select count(*) from purchase p left join ledger.resolution r using (hold_id) left join ledger.transfer t on t.transfer_id = r.transfer_id
    left join ledger.account a on a.account_id = t.payer
    where r.outcome is distinct from 'posted' or t.transfer_id <> p.transfer_id or t.amount <> p.price or t.reason <> 'purchase_compute' or a.owner is distinct from p.agent_id)
  union all select 'open_bid_is_in_an_open_auction', (select count(*) from bid b join auction a using (auction_id) where b.outcome = 'open' and a.state <> 'open')
  union all select 'ended_bid_holds_nothing', (select count(*) from bid b join ledger.open_hold o using (hold_id) where b.outcome <> 'open')
  union all select 'only_the_winner_pays', (select count(*) from bid b join ledger.resolution r using (hold_id) where (b.outcome = 'won') <> (r.outcome = 'posted'))
  union all select 'hold_has_its_bid', (select count(*) from ledger.open_hold o join ledger.hold h using (hold_id)
    where h.reason = 'purchase_compute' and h.source like 'auction %' and not exists (select 1 from bid b where b.hold_id = o.hold_id and b.outcome = 'open'))
  union all select 'sold_auction_has_its_winner', (select count(*) from auction a
    left join bid b on b.auction_id = a.auction_id and b.outcome = 'won' left join purchase p on p.auction_id = a.auction_id
    where (a.state = 'sold') <> (b.bid_id is not null) or (a.state = 'sold') <> (p.purchase_id is not null)
      or a.winner <> b.agent_id or a.winner <> p.agent_id or a.price <> p.price or a.price > b.amount or p.hold_id <> b.hold_id or p.window_id <> a.window_id)
  union all select 'auction_has_its_window', (select count(*) from auction a join gpu_window w using (window_id)
    where w.state <> case a.state when 'open' then 'offered' when 'sold' then 'sold' else 'withdrawn' end)
  union all select 'offered_window_has_its_auction', (select count(*) from gpu_window w where w.state = 'offered' and not exists (select 1 from auction a where a.window_id = w.window_id))
$$;

revoke all on function ledger.lock_accounts, trade_check from public;
grant execute on function ledger.lock_accounts, trade_check to {app};
grant execute on function trade_check to {reader};
grant select, insert on gpu_window, auction, bid, purchase to {app};
grant update (state, agent_id) on gpu_window to {app};
grant update (state, ended_at, end_reason, winner, price) on auction to {app};
grant update (outcome) on bid to {app};
grant update (told) on purchase to {app};
grant select on gpu_window, auction, bid, purchase to {reader};
