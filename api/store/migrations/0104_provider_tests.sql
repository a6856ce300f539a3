-- The newest test of each model of a provider in the configuration of the village. ADR 145.
create table provider_test (
  provider text not null check (char_length(provider) between 1 and 63),
  model text not null check (char_length(model) between 1 and 200),
  -- The hash of kind, address, key and model: a change of one is another test.
  address bytea not null check (octet_length(address) = 32),
  at timestamptz not null default clock_timestamp(),
  ms integer not null check (ms >= 0),
  -- Null for a success.
  code text check (char_length(code) between 1 and 64),
  message text check (char_length(message) <= 1000),
  -- Attempts in a row that the server did not answer, for example because it loads its model.
  unanswered int not null check (unanswered >= 0),
  abilities jsonb check (jsonb_typeof(abilities) = 'object'),
  primary key (provider, model)
);
grant select, insert, update, delete on provider_test to {app};
