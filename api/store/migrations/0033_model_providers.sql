-- A provider that an admin connects while the village runs is a row with `provider`: kind, address and models. Its key opens for that
-- address alone. A row without `provider` is a key that the configuration names, as before.
alter table model_credential
  add column provider jsonb check (jsonb_typeof(provider) = 'object' and length(provider::text) <= 32768),
  -- Prices of a million tokens, with their currency.
  add column prices jsonb check (jsonb_typeof(prices) = 'object' and length(prices::text) <= 65536),
  -- The first 12 hexadecimal digits of the SHA-256 of the key.
  add column fingerprint text check (fingerprint ~ '^[0-9a-f]{12}$'),
  add column tested_at timestamptz,
  add column test_ok boolean,
  add column test_ms integer check (test_ms >= 0),
  add column test_code text check (length(test_code) <= 100),
  add column test_message text check (length(test_message) <= 1000),
  alter column key_id drop not null,
  alter column sealed_data_key drop not null,
  alter column sealed drop not null,
  -- The tokens of a sign-in to a subscription are longer than keys.
  drop constraint model_credential_sealed_check,
  add constraint model_credential_sealed_check check (length(sealed) between 29 and 24604),
  -- A server of one's own may need no key.
  add constraint sealed_whole check (
    (key_id is null) = (sealed is null) and (sealed_data_key is null) = (sealed is null)
    and (sealed is not null or provider is not null)
  ),
  add constraint priced_provider check (prices is null or provider is not null),
  add constraint tested_whole check (
    (tested_at is null) = (test_ok is null) and (tested_at is null) = (test_ms is null)
  );

-- Replicas read the providers again at each change.
create function notify_model_credential() returns trigger language plpgsql as $$
begin
  perform pg_notify('model_credential', '');
  return null;
end
$$;
create trigger notify_model_credential after insert or update or delete on model_credential
for each statement execute function notify_model_credential();
