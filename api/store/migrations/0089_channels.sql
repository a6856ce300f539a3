-- Messengers through which people talk with agents. ADR 137.
-- An account at a messenger whose messages act as a person, linked with a code.
create table channel_identity (
  identity_id uuid primary key default uuidv7(),
  channel text not null check (channel in ('telegram', 'slack')),
  external_id text not null check (length(external_id) between 1 and 64),
  name text not null check (length(name) between 1 and 128),
  account_id uuid not null references account on delete cascade,
  linked_at timestamptz not null default now(),
  unique (channel, external_id)
);
create index channel_identity_of_account on channel_identity (account_id, linked_at desc);

-- The code with which a person links an identity once. A newer one replaces it.
create table channel_code (
  account_id uuid primary key references account on delete cascade,
  code_hash bytea not null unique check (length(code_hash) = 32),
  expires_at timestamptz not null
);

-- The first update that a bot has not processed yet.
create table channel_place (
  channel text not null check (channel in ('telegram', 'slack')),
  bot text not null check (length(bot) between 1 and 64),
  next_update bigint not null check (next_update >= 0),
  primary key (channel, bot)
);

-- The session in which a person talks with an agent through a messenger.
create table channel_session (
  identity_id uuid not null references channel_identity on delete cascade,
  agent_id text not null check (length(agent_id) between 1 and 63),
  session_id uuid not null references session on delete cascade,
  primary key (identity_id, agent_id)
);
create index channel_session_by_session on channel_session (session_id);

-- A run that a message began and whose answer is not delivered yet: the requests of the agent and the parts of the answer that were sent.
create table channel_run (
  run_id uuid primary key references run on delete cascade,
  identity_id uuid not null references channel_identity on delete cascade,
  agent_id text not null check (length(agent_id) between 1 and 63),
  asked uuid[] not null default '{}' check (cardinality(asked) <= 500),
  parts_sent integer not null default 0 check (parts_sent >= 0),
  begun_at timestamptz not null default now()
);
create index channel_run_of_identity on channel_run (identity_id);

grant select, insert, update, delete on channel_identity, channel_code, channel_place, channel_session, channel_run to {app};
