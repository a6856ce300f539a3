-- Keys with which a person's programs act as the person, within scopes and until an end. Only the hash of 256 random bits is stored. ADR 137.
create table account_key (
  key_id uuid primary key default uuidv7(),
  key_hash bytea not null unique check (length(key_hash) = 32),
  account_id uuid not null references account on delete cascade,
  name text not null check (length(name) between 1 and 64),
  scopes text[] not null check (cardinality(scopes) between 1 and 8 and octet_length(scopes::text) <= 256),
  created_at timestamptz not null default now(),
  -- To the minute; null before the first use.
  used_at timestamptz,
  expires_at timestamptz not null check (expires_at > created_at and expires_at <= created_at + interval '366 days'),
  unique (account_id, name)
);
create index account_key_by_expiry on account_key (expires_at);

grant select, insert, delete, update (used_at) on account_key to {app};
