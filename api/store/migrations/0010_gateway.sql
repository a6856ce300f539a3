-- What agents ask of language models: who, when, which model, how many tokens. Never a word of what was said.
-- Lock order: an agent's row of model_hour before its rows of model_request. Neither is held together with a lock of the ledger.

-- The hour in which an agent's tokens are counted: it begins with the first request after the hour before. `used` holds what is set aside for
-- requests under way in full, until they say what they took; one that is lost has taken all of it.
create table model_hour (
  agent_id text primary key check (length(agent_id) between 1 and 63),
  began_at timestamptz not null,
  used bigint not null check (used >= 0)
);

create table model_request (
  request_id uuid primary key default uuidv7(),
  agent_id text not null check (length(agent_id) between 1 and 63),
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  pod_uid text check (length(pod_uid) between 1 and 64),
  run_id uuid,
  tier text not null check (length(tier) between 1 and 253),
  model text not null check (length(model) between 1 and 128),
  provider text not null check (length(provider) between 1 and 64),
  outcome text not null default 'under_way' check (outcome in ('under_way', 'done', 'failed', 'cancelled', 'not_paid', 'lost')),
  reserved_tokens integer not null check (reserved_tokens > 0),
  prompt_tokens integer not null default 0 check (prompt_tokens >= 0),
  completion_tokens integer not null default 0 check (completion_tokens >= 0),
  hour_began_at timestamptz not null,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz check (ended_at >= started_at),
  check ((outcome = 'under_way') = (ended_at is null)),
  check (outcome <> 'under_way' or (prompt_tokens = 0 and completion_tokens = 0))
);
create index model_request_by_agent on model_request (agent_id, request_id desc);
create index model_request_by_end on model_request (ended_at) where ended_at is not null;
create index model_request_under_way on model_request (agent_id, started_at) where outcome = 'under_way';

-- A request ends once, and what it was about never changes.
create function model_request_ends_once() returns trigger language plpgsql as $$
begin
  if old.outcome <> 'under_way' then
    raise exception 'the request % to a model has ended', old.request_id using errcode = 'check_violation';
  end if;
  if (new.request_id, new.agent_id, new.agent_uid, new.pod_uid, new.run_id, new.tier, new.model, new.provider, new.reserved_tokens, new.hour_began_at, new.started_at)
      is distinct from (old.request_id, old.agent_id, old.agent_uid, old.pod_uid, old.run_id, old.tier, old.model, old.provider, old.reserved_tokens, old.hour_began_at, old.started_at) then
    raise exception 'what the request % to a model is about never changes', old.request_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger ends_once before update on model_request for each row execute function model_request_ends_once();
alter table model_request enable always trigger ends_once;

-- The pod that exchanged its token for this one; null for a token of development.
alter table agent_session add column pod_uid text check (length(pod_uid) between 1 and 64);

grant select, insert, update on model_hour to {app};
grant select, insert, delete on model_request to {app};
grant update (outcome, prompt_tokens, completion_tokens, ended_at) on model_request to {app};
grant select on model_hour, model_request to {reader};
