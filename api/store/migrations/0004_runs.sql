-- Work for agents: what is asked of them, what came of it, and the firings of schedules that ask.
-- Lock order: schedule_state before run, and the lock that orders internal_event last.

-- One row for each piece of work, whatever it came from. The kind is a word, so that more can follow; a settled row never changes again.
create table run (
  run_id uuid primary key default uuidv7(),
  agent_id text not null check (length(agent_id) between 1 and 63),
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  kind text not null check (kind ~ '^[a-z_]{1,32}$'),
  state text not null default 'queued' check (state in ('queued', 'running', 'waiting_permission', 'done', 'failed', 'cancelled')),
  prompt text not null check (char_length(prompt) between 1 and 16384),
  created_at timestamptz not null default now(),
  created_by_role text not null,
  created_by_id text not null,
  schedule_uid text check (length(schedule_uid) between 1 and 64),
  schedule_name text check (length(schedule_name) between 1 and 253),
  slot timestamptz,
  attempt integer not null default 0 check (attempt >= 0),
  cycle bigint check (cycle >= 0),
  started_at timestamptz,
  ended_at timestamptz check (ended_at >= created_at),
  summary text check (char_length(summary) between 1 and 4000),
  error_code text check (length(error_code) between 1 and 64),
  error_message text check (char_length(error_message) between 1 and 500),
  cancel_requested_at timestamptz,
  events integer not null default 0 check (events >= 0),
  check ((kind = 'schedule') = (schedule_uid is not null)),
  check ((schedule_uid is null) = (schedule_name is null) and (schedule_uid is null) = (slot is null)),
  check ((state in ('done', 'failed', 'cancelled')) = (ended_at is not null)),
  check ((attempt = 0) = (cycle is null) and (attempt = 0) = (started_at is null)),
  check (state <> 'queued' or attempt = 0),
  check (state not in ('running', 'waiting_permission', 'done') or attempt > 0),
  check (state <> 'queued' or cancel_requested_at is null),
  check ((error_code is null) = (error_message is null)),
  check (error_code is null or state in ('failed', 'cancelled')),
  check (state <> 'failed' or error_code is not null)
);
create index run_by_agent on run (agent_id, run_id desc);
create index run_by_schedule_name on run (schedule_name, run_id desc) where schedule_name is not null;
create index run_by_schedule on run (schedule_uid, run_id desc) where schedule_uid is not null;
create index run_under_way on run (agent_id, run_id) where state in ('queued', 'running', 'waiting_permission');
create index run_under_way_of_schedule on run (schedule_uid) where schedule_uid is not null and state in ('queued', 'running', 'waiting_permission');
create index run_cancelling on run (cancel_requested_at) where cancel_requested_at is not null and state in ('running', 'waiting_permission');

-- The twin of core's decideRun: whatever a program does, no run goes back, and none is rewritten.
create function run_goes_forward() returns trigger language plpgsql as $$
declare
  legal constant text[] := array[
    'queued>queued', 'queued>running', 'queued>failed', 'queued>cancelled',
    'running>running', 'running>waiting_permission', 'running>done', 'running>failed', 'running>cancelled',
    'waiting_permission>waiting_permission', 'waiting_permission>running', 'waiting_permission>done', 'waiting_permission>failed', 'waiting_permission>cancelled'];
begin
  if tg_op = 'DELETE' then
    if old.state in ('queued', 'running', 'waiting_permission') then
      raise exception 'run % is under way and stays', old.run_id using errcode = 'check_violation';
    end if;
    return old;
  end if;
  if not (old.state || '>' || new.state = any (legal)) then
    raise exception 'run % cannot go from % to %', old.run_id, old.state, new.state using errcode = 'check_violation';
  end if;
  if (new.run_id, new.agent_id, new.agent_uid, new.kind, new.prompt, new.created_at, new.created_by_role, new.created_by_id)
      is distinct from (old.run_id, old.agent_id, old.agent_uid, old.kind, old.prompt, old.created_at, old.created_by_role, old.created_by_id)
    or (new.schedule_uid, new.schedule_name, new.slot) is distinct from (old.schedule_uid, old.schedule_name, old.slot) then
    raise exception 'what run % is about never changes', old.run_id using errcode = 'check_violation';
  end if;
  if new.attempt < old.attempt or new.cycle < old.cycle or new.events < old.events
    or (old.started_at is not null and new.started_at is distinct from old.started_at)
    or (old.cancel_requested_at is not null and new.cancel_requested_at is distinct from old.cancel_requested_at) then
    raise exception 'the counters and times of run % only grow', old.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger goes_forward before update or delete on run for each row execute function run_goes_forward();
alter table run enable always trigger goes_forward;

-- What happened to a run, numbered without a gap. It goes with its run and in no other way: the app may insert, and nothing else.
create table run_event (
  run_id uuid not null references run on delete cascade,
  number integer not null check (number between 1 and 256),
  event text not null check (event in ('queued', 'started', 'redelivered', 'step', 'cancel_requested', 'settled')),
  at timestamptz not null default clock_timestamp(),
  detail jsonb not null,
  primary key (run_id, number)
);
create unique index run_event_one_a_step on run_event (run_id, ((detail ->> 'step')::integer)) where event = 'step';
create trigger append_only before update or truncate on run_event for each statement execute function refuse_change();
alter table run_event enable always trigger append_only;

-- A schedule as its firings know it. Whoever fires it holds this row. Slots up to pruned_through have had their turn, though their
-- firings are kept no longer.
create table schedule_state (
  schedule_uid text primary key check (length(schedule_uid) between 1 and 64),
  schedule_name text not null check (length(schedule_name) between 1 and 253),
  history_limit integer not null check (history_limit between 0 and 1000),
  last_slot timestamptz,
  last_run_id uuid,
  last_run_at timestamptz,
  pruned_through timestamptz not null default '-infinity',
  fired_at timestamptz not null default now(),
  check ((last_run_id is null) = (last_run_at is null))
);
create index schedule_state_by_name on schedule_state (schedule_name);

-- One slot of one schedule, claimed once by the leader of that fence, and what it came to for each agent.
create table firing (
  firing_id uuid primary key default uuidv7(),
  schedule_uid text not null references schedule_state on delete cascade,
  slot timestamptz not null,
  fired_at timestamptz not null default now(),
  lease_uid text not null,
  transitions bigint not null,
  made_up boolean not null,
  runs jsonb not null,
  unique (schedule_uid, slot)
);
create trigger append_only before update or truncate on firing for each statement execute function refuse_change();
alter table firing enable always trigger append_only;

-- The Lease whose leader is believed, and how often it has changed hands. One whose place another has taken is never believed again.
create table operator_fence (
  lease_uid text primary key check (length(lease_uid) between 1 and 64),
  transitions bigint not null check (transitions >= 0),
  seen_at timestamptz not null default now(),
  superseded_at timestamptz
);
create unique index operator_fence_one_trusted on operator_fence ((true)) where superseded_at is null;

grant select, insert, update, delete on run, schedule_state, operator_fence to {app};
grant select, insert on run_event to {app};
grant select, insert, delete on firing to {app};
grant select on run, run_event, schedule_state, firing, operator_fence to {reader};
