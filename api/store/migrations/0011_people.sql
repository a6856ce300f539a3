-- People: accounts of their own or of an identity provider, their sessions, one-time codes and bans; and how far each custom resource was seen.

-- Of an identity provider (issuer and subject), or of the village (a password, or none yet). Accounts are disabled, never deleted:
-- the audit names them.
alter table account alter column password_hash drop not null;
alter table account add column issuer text check (length(issuer) between 1 and 512);
alter table account add column subject text check (length(subject) between 1 and 512);
alter table account add column disabled_at timestamptz;
alter table account add constraint account_of_one_kind check ((issuer is null) = (subject is null) and (issuer is null or password_hash is null));
create unique index account_by_subject on account (issuer, subject) where issuer is not null;

-- session_id names the row to people; it opens nothing.
alter table account_session add column session_id uuid not null default uuidv7() unique;
alter table account_session add column signed_in_by text not null default 'password' check (signed_in_by in ('password', 'code', 'oidc', 'bootstrap'));
alter table account_session add column address text check (length(address) <= 64);
alter table account_session add column user_agent text check (length(user_agent) <= 256);
create index account_session_by_account on account_session (account_id, created_at desc);

-- A code that sets a password once: an invitation or a reset. A newer one replaces it.
create table account_code (
  account_id uuid primary key references account,
  code_hash bytea not null unique check (length(code_hash) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

-- One row for each time a person was banned. It holds while it is not lifted and its end lies ahead; nothing of it but its lifting is
-- ever changed, as with standing_measure.
create table account_ban (
  ban_id uuid primary key default uuidv7(),
  account_id uuid not null references account,
  reason text not null check (length(reason) between 1 and 500),
  by_role text not null,
  by_id text not null,
  since timestamptz not null default now(),
  expires_at timestamptz,
  lifted_at timestamptz,
  lifted_by_role text,
  lifted_by_id text,
  lift_reason text check (length(lift_reason) between 1 and 500),
  check ((lifted_at is null) = (lifted_by_role is null)),
  check ((lifted_at is null) = (lifted_by_id is null))
);
create unique index account_ban_one_open on account_ban (account_id) where lifted_at is null;
create index account_ban_by_end on account_ban (expires_at) where lifted_at is null and expires_at is not null;

-- A sign-in that went to the identity provider and is awaited back, in the browser that holds the cookie whose hash this is. Used once.
create table oidc_attempt (
  id_hash bytea primary key check (length(id_hash) = 32),
  state text not null,
  nonce text not null,
  code_verifier text not null,
  return_to text not null check (length(return_to) between 1 and 512),
  expires_at timestamptz not null
);
create index oidc_attempt_by_expiry on oidc_attempt (expires_at);

-- Up to which generation the audit has every change of a custom resource, by its life; own_generations are those beyond it that the api
-- wrote, and has a line of, while what came before them is still on its way through the watch. `fields` has a digest of each field of the spec, so that a change
-- can be named without a copy of what is intent; it is of fields_generation, which may lag behind where the api itself wrote.
create table resource_seen (
  uid text primary key check (length(uid) between 1 and 64),
  kind text not null check (kind in ('Agent', 'Entitlement', 'Schedule')),
  name text not null check (length(name) between 1 and 253),
  generation bigint not null check (generation >= 0),
  own_generations bigint[] not null default '{}',
  fields jsonb not null default '{}',
  fields_generation bigint not null default 0,
  gone_at timestamptz
);
create index resource_seen_present on resource_seen (kind, name) where gone_at is null;

-- Who wrote a Schedule through the api last: while that person is banned it gives nobody work.
create table schedule_author (
  schedule_uid text primary key check (length(schedule_uid) between 1 and 64),
  account_id uuid not null references account
);

grant select, insert, update, delete on account_code, oidc_attempt, resource_seen, schedule_author to {app};
grant select, insert on account_ban to {app};
grant update (lifted_at, lifted_by_role, lifted_by_id, lift_reason) on account_ban to {app};
grant select on account_ban, resource_seen, schedule_author to {reader};
