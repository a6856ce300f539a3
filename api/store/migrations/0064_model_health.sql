-- The newest success and failure of each model at its provider, for people. The API replaces a row at most every few seconds.
create table model_health (
  provider text not null check (char_length(provider) between 1 and 64),
  model text not null check (char_length(model) between 1 and 128),
  succeeded_at timestamptz,
  failed_at timestamptz,
  code text check (char_length(code) between 1 and 64),
  message text check (char_length(message) <= 300),
  primary key (provider, model),
  check ((failed_at is null) = (code is null)),
  check (succeeded_at is not null or failed_at is not null)
);
-- The newest test of a provider that is not connected, by the hash of kind, address and key.
create table tried_provider (
  address bytea primary key check (octet_length(address) = 32),
  code text check (char_length(code) between 1 and 64),
  at timestamptz not null default clock_timestamp()
);

grant select, insert, update, delete on model_health, tried_provider to {app};
grant select on model_health to {reader};
