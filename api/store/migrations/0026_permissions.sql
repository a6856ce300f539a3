-- Permissions that people give for one call, and the effects of the calls that the API performed. Both are kept as long as their run. ADR 62.
-- Lock order: run before its permissions, permission before effect.

create table permission (
  permission_id uuid primary key default uuidv7(),
  run_id uuid not null references run on delete cascade,
  agent_id text not null check (length(agent_id) between 1 and 63),
  -- The engine's id of the request: asking again after a restart finds the same row.
  request text not null check (length(request) between 1 and 200),
  call_id text not null check (length(call_id) between 1 and 200),
  tool text not null check (length(tool) between 1 and 64),
  -- Canonical JSON, and its SHA-256.
  arguments text not null check (octet_length(arguments) <= 262144),
  arguments_hash bytea not null check (octet_length(arguments_hash) = 32),
  why text not null check (why in ('policy', 'unknown', 'question')),
  reason text not null check (char_length(reason) <= 1000),
  question text check (char_length(question) between 1 and 8000),
  -- Micro-aiDollars that the call may spend at most; null if it spends nothing.
  amount numeric(38, 0) check (amount > 0),
  policy_version text not null check (policy_version ~ '^[0-9a-f]{64}$'),
  state text not null default 'pending' check (state in ('pending', 'allowed', 'denied', 'expired', 'consumed', 'withdrawn')),
  asked_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null check (expires_at > asked_at),
  answered_at timestamptz,
  answered_by_role text,
  answered_by_id text,
  answered_by_name text,
  answer text check (answer in ('allow', 'deny', 'happened', 'repeat')),
  reply text check (char_length(reply) between 1 and 8000),
  unique (run_id, request),
  check ((why = 'question') = (question is not null)),
  check ((answer is null) = (answered_at is null) and (answer is null) = (answered_by_role is null)
    and (answer is null) = (answered_by_id is null) and (answer is null) = (answered_by_name is null)),
  check (reply is null or answer is not null),
  check (state not in ('allowed', 'consumed') or answer in ('allow', 'happened', 'repeat')),
  check (state <> 'denied' or answer = 'deny'),
  check (state <> 'pending' or answer is null),
  check (answer is null or (why = 'unknown') = (answer in ('happened', 'repeat')) or answer = 'deny'),
  check (answered_by_role in ('member', 'admin'))
);
create index permission_of_call on permission (run_id, call_id, permission_id desc);
create index permission_by_agent on permission (agent_id, permission_id desc);
create index permission_open on permission (expires_at) where state in ('pending', 'allowed');
-- Amounts that a person has allowed, for the allowance of the day.
create index permission_spent on permission (answered_by_id, answered_at) where amount is not null;

-- A permission goes forward, and is answered once. Its call, arguments and policy never change.
create function permission_goes_forward() returns trigger language plpgsql as $$
declare
  legal constant text[] := array[
    'pending>allowed', 'pending>denied', 'pending>expired', 'pending>withdrawn',
    'allowed>consumed', 'allowed>expired', 'allowed>withdrawn'];
begin
  if not (old.state || '>' || new.state = any (legal)) then
    raise exception 'permission % cannot go from % to %', old.permission_id, old.state, new.state using errcode = 'check_violation';
  end if;
  if (new.permission_id, new.run_id, new.agent_id, new.request, new.call_id, new.tool, new.arguments, new.arguments_hash, new.why, new.reason,
        new.question, new.amount, new.policy_version, new.asked_at)
      is distinct from (old.permission_id, old.run_id, old.agent_id, old.request, old.call_id, old.tool, old.arguments, old.arguments_hash, old.why,
        old.reason, old.question, old.amount, old.policy_version, old.asked_at) then
    raise exception 'the request of permission % never changes', old.permission_id using errcode = 'check_violation';
  end if;
  -- Only the answer may extend the time: the agent needs some to wake up and use it.
  if new.expires_at is distinct from old.expires_at and (new.state <> 'allowed' or new.expires_at < old.expires_at) then
    raise exception 'the expiry of permission % never changes', old.permission_id using errcode = 'check_violation';
  end if;
  if old.state = 'pending' then
    if new.state in ('allowed', 'denied') and old.expires_at <= clock_timestamp() then
      raise exception 'permission % has expired', old.permission_id using errcode = 'check_violation';
    end if;
  elsif (new.answer, new.reply, new.answered_at, new.answered_by_role, new.answered_by_id, new.answered_by_name)
      is distinct from (old.answer, old.reply, old.answered_at, old.answered_by_role, old.answered_by_id, old.answered_by_name) then
    raise exception 'permission % has been answered', old.permission_id using errcode = 'check_violation';
  end if;
  if new.state = 'consumed' and old.expires_at <= clock_timestamp() then
    raise exception 'permission % has expired', old.permission_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger goes_forward before update on permission for each row execute function permission_goes_forward();
alter table permission enable always trigger goes_forward;

-- A permission begins unanswered, and only for a run under way.
create function permission_begins() returns trigger language plpgsql as $$
begin
  if new.state <> 'pending' then
    raise exception 'permission % does not begin as pending', new.permission_id using errcode = 'check_violation';
  end if;
  if not exists (select from run where run_id = new.run_id and agent_id = new.agent_id and state in ('queued', 'running', 'waiting_permission')) then
    raise exception 'run % is not under way', new.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger begins before insert on permission for each row execute function permission_begins();
alter table permission enable always trigger begins;

-- The end of a run, by whatever path, withdraws its open permissions.
create function run_withdraws_permissions() returns trigger language plpgsql as $$
begin
  update permission set state = 'withdrawn' where run_id = new.run_id and state in ('pending', 'allowed');
  return null;
end $$;
create trigger withdraws_permissions after update of state on run for each row
  when (new.state in ('done', 'failed', 'cancelled') and old.state <> new.state) execute function run_withdraws_permissions();
alter table run enable always trigger withdraws_permissions;

-- The effect of one call: `begun` before a command to the world is sent, `settled` with its outcome. Other effects are settled at once, in
-- the transaction of the effect itself.
create table effect (
  run_id uuid not null references run on delete cascade,
  call_id text not null check (length(call_id) between 1 and 200),
  agent_id text not null check (length(agent_id) between 1 and 63),
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  cycle bigint not null check (cycle >= 0),
  attempt integer not null check (attempt >= 1),
  tool text not null check (length(tool) between 1 and 64),
  arguments_hash bytea not null check (octet_length(arguments_hash) = 32),
  policy_version text not null check (policy_version ~ '^[0-9a-f]{64}$'),
  -- The permission that it used up; null if the policy allows the call by itself.
  permission_id uuid unique references permission on delete cascade,
  state text not null check (state in ('begun', 'settled')),
  begun_at timestamptz not null default clock_timestamp(),
  settled_at timestamptz,
  outcome jsonb check (jsonb_typeof(outcome) = 'object'),
  primary key (run_id, call_id),
  check ((state = 'settled') = (settled_at is not null) and (state = 'settled') = (outcome is not null))
);
create index effect_begun on effect (begun_at) where state = 'begun';

create function effect_goes_forward() returns trigger language plpgsql as $$
begin
  if old.state <> 'begun' or new.state <> 'settled' then
    raise exception 'effect % of run % cannot go from % to %', old.call_id, old.run_id, old.state, new.state using errcode = 'check_violation';
  end if;
  if (new.run_id, new.call_id, new.agent_id, new.agent_uid, new.cycle, new.attempt, new.tool, new.arguments_hash, new.policy_version, new.permission_id, new.begun_at)
      is distinct from (old.run_id, old.call_id, old.agent_id, old.agent_uid, old.cycle, old.attempt, old.tool, old.arguments_hash, old.policy_version,
        old.permission_id, old.begun_at) then
    raise exception 'the call of effect % of run % never changes', old.call_id, old.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger goes_forward before update on effect for each row execute function effect_goes_forward();
alter table effect enable always trigger goes_forward;

-- An effect uses up a permission of its own run, call, tool and arguments, in the same transaction.
create function effect_uses_its_permission() returns trigger language plpgsql as $$
begin
  if new.permission_id is not null and not exists (
      select from permission p where p.permission_id = new.permission_id and p.run_id = new.run_id and p.call_id = new.call_id
        and p.tool = new.tool and p.arguments_hash = new.arguments_hash and p.state = 'consumed') then
    raise exception 'permission % does not permit call % of run %', new.permission_id, new.call_id, new.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger uses_its_permission before insert on effect for each row execute function effect_uses_its_permission();
alter table effect enable always trigger uses_its_permission;

create trigger no_truncate before truncate on permission for each statement execute function refuse_change();
create trigger no_truncate before truncate on effect for each statement execute function refuse_change();

-- Rows go with their run, and in no other way.
grant select, insert, update on permission, effect to {app};
grant select on permission, effect to {reader};
