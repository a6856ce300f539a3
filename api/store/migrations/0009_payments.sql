-- Money that comes in from outside: credits by hand and by webhook, what PayPal told, and how the books compare with a provider's.
-- Lock order: paypal_delivery, paypal_capture, deposit, accounts of the ledger, agent_tier, the lock that orders internal_event.

-- One row for each payment that is credited, or proposed to be. A transaction of a provider is here once, unless it was rejected. net is what of it
-- stands, as the income of number leg; changes counts how often that was changed. Its identity never changes (grants), and no row is ever deleted.
create table deposit (
  deposit_id uuid primary key default uuidv7(),
  provider text not null check (provider ~ '^[a-z][a-z0-9_]{0,30}$'),
  transaction_id text not null check (length(transaction_id) between 1 and 64),
  agent_id text not null check (length(agent_id) between 1 and 63),
  amount bigint not null check (amount > 0),
  net bigint not null default 0 check (net between 0 and amount),
  state text not null check (state in ('proposed', 'credited', 'rejected')),
  origin text not null check (origin in ('manual', 'webhook')),
  note text not null check (char_length(note) <= 500),
  requested_role text not null,
  requested_by text not null,
  requested_at timestamptz not null default now(),
  decided_role text,
  decided_by text,
  decided_at timestamptz,
  decision_reason text check (char_length(decision_reason) <= 500),
  transfer_id uuid,
  leg integer not null default 0 check (leg >= 0),
  changes integer not null default 0 check (changes >= 0),
  changed_at timestamptz not null default now(),
  check ((state = 'credited') = (transfer_id is not null)),
  check (net = 0 or state = 'credited'),
  check (num_nulls(decided_role, decided_by, decided_at) in (0, 3)),
  -- Nobody approves what they asked for themselves.
  constraint deposit_four_eyes check (state <> 'credited' or decided_by is distinct from requested_by)
);
create unique index deposit_once on deposit (provider, transaction_id) where state <> 'rejected';
create index deposit_by_state on deposit (state, deposit_id desc);
create index deposit_by_agent on deposit (agent_id, deposit_id desc);
create index deposit_by_asker on deposit (requested_by, requested_at) where origin = 'manual';

-- What came in at the webhook, byte for byte, before anything of it is believed. due_at is also the lease of who verifies it.
create table paypal_delivery (
  delivery_id uuid primary key default uuidv7(),
  digest bytea not null unique check (length(digest) = 32),
  transmission_id text not null,
  transmission_time text not null,
  cert_url text not null,
  signature text not null,
  raw bytea not null check (length(raw) between 1 and 262144),
  received_at timestamptz not null default now(),
  state text not null default 'waiting' check (state in ('waiting', 'verified', 'refused')),
  why text,
  attempts integer not null default 0,
  due_at timestamptz not null default now()
);
create index paypal_delivery_due on paypal_delivery (due_at) where state = 'waiting';
create index paypal_delivery_by_age on paypal_delivery (received_at) where state <> 'waiting';

-- A notification whose signature is PayPal's, once, however often it was delivered. Only what is verified claims an id.
create table paypal_event (
  event_id text primary key check (length(event_id) between 1 and 128),
  event_type text not null,
  capture_id text,
  delivery_id uuid not null,
  verified_at timestamptz not null default now()
);

-- A payment that notifications spoke of. told grows with each; looked is how far PayPal was asked about it. claim is who asks now: an answer
-- that was fetched under another claim is older and counts for nothing.
create table paypal_capture (
  capture_id text primary key check (capture_id ~ '^[A-Z0-9]{1,64}$'),
  first_told_at timestamptz not null default now(),
  told bigint not null default 1,
  looked bigint not null default 0,
  due_at timestamptz,
  claim uuid,
  attempts integer not null default 0,
  why text,
  hint jsonb,
  truth jsonb
);
create index paypal_capture_due on paypal_capture (due_at) where due_at is not null;
create index paypal_capture_waiting on paypal_capture (first_told_at) where why is not null;

-- What takes a payment back, wholly or in part.
create table paypal_taking (
  kind text not null check (kind in ('refund', 'reversal', 'dispute')),
  taking_id text not null check (taking_id ~ '^[A-Z0-9-]{1,64}$'),
  capture_id text not null references paypal_capture,
  told_at timestamptz not null default now(),
  primary key (kind, taking_id, capture_id)
);
create index paypal_taking_by_capture on paypal_taking (capture_id);

-- A provider's own list of payments. reference_id is the payment that this one takes back.
create table provider_transaction (
  provider text not null check (provider ~ '^[a-z][a-z0-9_]{0,30}$'),
  transaction_id text not null check (length(transaction_id) between 1 and 64),
  amount numeric(18, 6) not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  at timestamptz not null,
  reference_id text check (length(reference_id) between 1 and 64),
  agent_id text check (length(agent_id) between 1 and 127),
  seen_at timestamptz not null default now(),
  primary key (provider, transaction_id)
);
create index provider_transaction_by_reference on provider_transaction (provider, reference_id) where reference_id is not null;

create table provider_statement (
  statement_id uuid primary key default uuidv7(),
  provider text not null,
  compared_from timestamptz not null,
  compared_through timestamptz not null check (compared_through >= compared_from),
  compared_at timestamptz not null default now(),
  lines integer not null check (lines >= 0),
  by_id text not null
);
create index provider_statement_by_provider on provider_statement (provider, compared_through desc);

-- What the books and a provider's say otherwise, from when it was found until they agree.
create table difference (
  difference_id uuid primary key default uuidv7(),
  kind text not null check (kind in ('only_ours', 'only_theirs', 'amount_differs')),
  provider text not null,
  transaction_id text not null,
  owner text not null check (length(owner) between 1 and 200),
  found_at timestamptz not null default now(),
  settled_at timestamptz,
  explanation text check (char_length(explanation) between 1 and 500),
  explained_by text,
  check ((explanation is null) = (explained_by is null))
);
create unique index difference_once on difference (provider, transaction_id) where settled_at is null;

grant select, insert on deposit, provider_statement, paypal_event to {app};
grant update (net, state, decided_role, decided_by, decided_at, decision_reason, transfer_id, leg, changes, changed_at) on deposit to {app};
grant select, insert, update, delete on paypal_delivery to {app};
grant select, insert, update on paypal_capture, paypal_taking, provider_transaction to {app};
grant select, insert on difference to {app};
grant update (kind, owner, settled_at, explanation, explained_by) on difference to {app};
grant select on deposit, provider_transaction, provider_statement, difference to {reader};
