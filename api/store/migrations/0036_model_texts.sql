-- Prompts and answers of requests to models, kept for a limited time if the village says so. The audit, and with it the sealed log, has salted hashes alone:
-- without the salt of the deleted row, nobody can test a guess of the text against its hash.
create table model_text (
  request_id uuid primary key,
  agent_id text not null check (length(agent_id) between 1 and 63),
  run_id uuid,
  kept_at timestamptz not null default now(),
  expires_at timestamptz not null check (expires_at > kept_at and expires_at <= kept_at + interval '90 days'),
  salt bytea not null check (octet_length(salt) = 32),
  -- JSON: the messages of the request, and the words and tool calls of the answer.
  prompt text not null check (octet_length(prompt) <= 8388608),
  answer text not null check (octet_length(answer) <= 33554432)
);
create index model_text_by_agent on model_text (agent_id, request_id desc);
create index model_text_by_expiry on model_text (expires_at);

-- The role of readers sees none of it.
grant select, insert, delete on model_text to {app};
