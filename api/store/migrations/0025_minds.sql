-- Runs of agents with a model: they wait for permissions without a lease, count what they use, and mirror the journal of their engine. ADR 61.

alter table run
  add column session_id uuid,
  add column runtime text check (length(runtime) between 1 and 64),
  add column model text check (length(model) between 1 and 200),
  -- The newest attempt that made progress. It limits the attempts without progress; the number of all attempts has no limit.
  add column progress_attempt integer not null default 0 check (progress_attempt between 0 and attempt),
  add column budgets jsonb check (jsonb_typeof(budgets) = 'object'),
  add column steps integer not null default 0 check (steps >= 0),
  -- Usage that the API saw, and usage that the agent claims.
  add column tokens bigint not null default 0 check (tokens >= 0),
  add column cost_micros bigint not null default 0 check (cost_micros >= 0),
  add column claimed_tokens bigint not null default 0 check (claimed_tokens >= 0),
  add column claimed_cost_micros bigint not null default 0 check (claimed_cost_micros >= 0),
  -- Time in which the run was running; waiting does not count.
  add column worked_ms bigint not null default 0 check (worked_ms >= 0),
  add column working_since timestamptz,
  add column unsettled text[] not null default '{}' check (cardinality(unsettled) <= 64);
create index run_of_session on run (session_id, run_id desc) where session_id is not null;

-- A run under way counts its attempts without progress from here on.
update run set progress_attempt = attempt where state in ('queued', 'running', 'waiting_permission') and attempt > 0;
update run set working_since = clock_timestamp() where state = 'running';

-- The twin of core's decideRun. A replica of the version before writes neither progress nor clock: the defaults and this function do.
create or replace function run_goes_forward() returns trigger language plpgsql as $$
declare
  legal constant text[] := array[
    'queued>queued', 'queued>running', 'queued>failed', 'queued>cancelled',
    'running>running', 'running>queued', 'running>waiting_permission', 'running>done', 'running>failed', 'running>cancelled',
    'waiting_permission>waiting_permission', 'waiting_permission>queued', 'waiting_permission>failed', 'waiting_permission>cancelled',
    -- Only a replica of the version before starts a run that waits for a permission, in a newer cycle.
    'waiting_permission>running'];
begin
  if tg_op = 'DELETE' then
    if old.state in ('queued', 'running', 'waiting_permission') then
      raise exception 'run % is under way and stays', old.run_id using errcode = 'check_violation';
    end if;
    return old;
  end if;
  -- The last answers of models may be counted after the end of the run. Nothing else changes then.
  if old.state in ('done', 'failed', 'cancelled') and new.tokens >= old.tokens and new.cost_micros >= old.cost_micros
    and to_jsonb(new) - '{tokens,cost_micros}'::text[] = to_jsonb(old) - '{tokens,cost_micros}'::text[] then
    return new;
  end if;
  if not (old.state || '>' || new.state = any (legal)) then
    raise exception 'run % cannot go from % to %', old.run_id, old.state, new.state using errcode = 'check_violation';
  end if;
  if (new.run_id, new.agent_id, new.agent_uid, new.kind, new.prompt, new.created_at, new.created_by_role, new.created_by_id, new.session_id)
      is distinct from (old.run_id, old.agent_id, old.agent_uid, old.kind, old.prompt, old.created_at, old.created_by_role, old.created_by_id, old.session_id)
    or (new.schedule_uid, new.schedule_name, new.slot) is distinct from (old.schedule_uid, old.schedule_name, old.slot) then
    raise exception 'what run % is about never changes', old.run_id using errcode = 'check_violation';
  end if;
  if new.attempt < old.attempt or new.cycle < old.cycle or new.events < old.events or new.progress_attempt < old.progress_attempt
    or new.steps < old.steps or new.tokens < old.tokens or new.cost_micros < old.cost_micros
    or new.claimed_tokens < old.claimed_tokens or new.claimed_cost_micros < old.claimed_cost_micros
    or (old.started_at is not null and new.started_at is distinct from old.started_at)
    or (old.budgets is not null and new.budgets is distinct from old.budgets)
    or (old.cancel_requested_at is not null and new.cancel_requested_at is distinct from old.cancel_requested_at) then
    raise exception 'the counters and times of run % only grow', old.run_id using errcode = 'check_violation';
  end if;
  -- A run is started again as another attempt: the attempt names the lease, and a lapsed lease never becomes valid again.
  if old.state <> 'running' and new.state = 'running' and new.attempt = old.attempt then
    raise exception 'run % is taken up without another attempt', old.run_id using errcode = 'check_violation';
  end if;
  if old.state = 'running' and new.state <> 'running' then
    new.worked_ms := old.worked_ms + greatest(0, extract(epoch from clock_timestamp() - coalesce(old.working_since, clock_timestamp())) * 1000)::bigint;
    new.working_since := null;
  elsif old.state <> 'running' and new.state = 'running' then
    new.working_since := clock_timestamp();
  end if;
  if new.state <> 'running' then
    new.lease_until := null;
  elsif new.lease_until is null then
    -- A replica that sets no lease wrote it. Its resident does not renew, and gives up a run of its own after 15 minutes.
    new.lease_until := now() + interval '15 minutes';
  end if;
  return new;
end $$;

-- A run that waits for a permission has no lease.
alter table run drop constraint run_leased;
update run set lease_until = null where state = 'waiting_permission';
alter table run add constraint run_leased check ((state = 'running') = (lease_until is not null));
drop index run_cancelling;
create index run_cancelling on run (cancel_requested_at) where cancel_requested_at is not null and state = 'running';

-- Events that the API saw are witnessed; an agent claims the others. The API stops at 20,000 claims a run, so its own events always have room.
alter table run_event add column witnessed boolean not null default true;
alter table run_event drop constraint run_event_number_check, drop constraint run_event_event_check;
alter table run_event
  add constraint run_event_number_check check (number between 1 and 100000),
  add constraint run_event_event_check check (event in (
    'queued', 'started', 'redelivered', 'step', 'cancel_requested', 'lapsed', 'settled',
    'model_asked', 'model_answered', 'model_failed', 'call_begun', 'call_settled', 'call_unknown',
    'permission_asked', 'permission_answered', 'permission_expired', 'waiting', 'budget_warned', 'interrupted'));
create index run_event_of_call on run_event (run_id, (detail ->> 'call_id')) where event in ('call_begun', 'call_settled', 'call_unknown');

-- The mirror of the engine's journal on an agent's volume: the agent's claims, as it sent them. They go with their run.
create table journal_entry (
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  seq bigint not null check (seq >= 1),
  run_id uuid not null references run on delete cascade,
  event jsonb not null check (jsonb_typeof(event) = 'object'),
  -- References of the event's texts.
  refs text[] not null check (cardinality(refs) <= 128),
  bytes integer not null check (bytes between 1 and 131072),
  stored_at timestamptz not null default clock_timestamp(),
  primary key (agent_uid, seq)
);
create index journal_entry_of_run on journal_entry (run_id, seq);
create trigger append_only before update or truncate on journal_entry for each statement execute function refuse_change();
alter table journal_entry enable always trigger append_only;

-- A text of a journal. It can be forgotten: the row stays without its text, and no later copy brings the text back.
create table payload (
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  ref text not null check (ref ~ '^[A-Za-z0-9_-]{22}$'),
  -- The newest run with this text.
  run_id uuid not null references run on delete cascade,
  text text,
  bytes integer not null check (bytes between 0 and 1048576),
  forgotten_at timestamptz,
  primary key (agent_uid, ref),
  check ((text is null) = (forgotten_at is not null) and (text is not null or bytes = 0))
);
create index payload_of_run on payload (run_id);

-- Bytes of entries and texts of an agent's journal. Lock it after the run.
create table journal_size (
  agent_uid text primary key check (length(agent_uid) between 1 and 64),
  bytes bigint not null check (bytes >= 0)
);

create function journal_grows() returns trigger language plpgsql as $$
begin
  insert into journal_size (agent_uid, bytes) select agent_uid, sum(bytes) from added group by agent_uid
  on conflict (agent_uid) do update set bytes = journal_size.bytes + excluded.bytes;
  return null;
end $$;
create function journal_shrinks() returns trigger language plpgsql as $$
begin
  update journal_size set bytes = journal_size.bytes - gone.bytes
  from (select agent_uid, sum(bytes) as bytes from removed group by agent_uid) as gone where gone.agent_uid = journal_size.agent_uid;
  return null;
end $$;
create function payload_changes() returns trigger language plpgsql as $$
begin
  update journal_size set bytes = journal_size.bytes + difference.bytes
  from (
    select agent_uid, sum(bytes) as bytes from (
      select agent_uid, bytes from added union all select agent_uid, -bytes from removed) as both_sides
    group by agent_uid) as difference
  where difference.agent_uid = journal_size.agent_uid and difference.bytes <> 0;
  return null;
end $$;
create trigger grows after insert on journal_entry referencing new table as added for each statement execute function journal_grows();
create trigger grows after insert on payload referencing new table as added for each statement execute function journal_grows();
create trigger shrinks after delete on journal_entry referencing old table as removed for each statement execute function journal_shrinks();
create trigger shrinks after delete on payload referencing old table as removed for each statement execute function journal_shrinks();
create trigger changes after update on payload referencing old table as removed new table as added for each statement execute function payload_changes();

grant select, insert, delete on journal_entry to {app};
grant select, insert, update, delete on payload, journal_size to {app};
grant select on journal_size to {reader};
