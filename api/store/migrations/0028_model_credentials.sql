-- Keys of model providers, sealed: each has a data key of its own, which a key of the village seals (AES-256-GCM). A row without agent is
-- the village's; one with an agent goes before it for that agent. Neither the sealed text nor the key of the village can be read here.
create table model_credential (
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
  -- Empty: the village's.
  agent_id text not null default '' check (length(agent_id) <= 63),
  -- The key of the village that seals the data key.
  key_id text not null check (length(key_id) between 1 and 100),
  -- Nonce (12 bytes), tag (16 bytes), then the sealed bytes.
  sealed_data_key bytea not null check (length(sealed_data_key) = 60),
  sealed bytea not null check (length(sealed) between 29 and 8220),
  created_at timestamptz not null default clock_timestamp(),
  created_by text not null check (length(created_by) between 1 and 200),
  rotated_at timestamptz,
  primary key (name, agent_id)
);

grant select, insert, update, delete on model_credential to {app};
