-- An agent holds a run by a claim that it renews. A claim that nobody renews lapses, and the run waits again. ADR 51.
alter table run add column lease_until timestamptz;
create index run_claimed on run (lease_until) where lease_until is not null;

-- A run that waits again keeps its attempts, its cycle and its start.
do $checks$
declare
  waiting text;
  events text;
begin
  select conname into waiting from pg_constraint where conrelid = 'run'::regclass and pg_get_constraintdef(oid) = 'CHECK (((state <> ''queued''::text) OR (attempt = 0)))';
  select conname into events from pg_constraint where conrelid = 'run_event'::regclass and pg_get_constraintdef(oid) like '%cancel_requested%';
  if waiting is null or events is null then raise exception 'run or run_event has not the checks that this migration expects'; end if;
  execute format('alter table run drop constraint %I', waiting);
  execute format('alter table run_event drop constraint %I', events);
end $checks$;
alter table run_event add constraint run_event_event_check
  check (event in ('queued', 'started', 'redelivered', 'step', 'cancel_requested', 'lapsed', 'settled'));

-- The twin of core's decideRun, as before but for two things: a claim may lapse, and the lease goes with the claim.
create or replace function run_goes_forward() returns trigger language plpgsql as $$
declare
  legal constant text[] := array[
    'queued>queued', 'queued>running', 'queued>failed', 'queued>cancelled',
    'running>running', 'running>queued', 'running>waiting_permission', 'running>done', 'running>failed', 'running>cancelled',
    'waiting_permission>waiting_permission', 'waiting_permission>queued', 'waiting_permission>running', 'waiting_permission>done', 'waiting_permission>failed',
    'waiting_permission>cancelled'];
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
  -- A run is taken up again as another attempt: the attempt names the claim, and an old claim never becomes good again.
  if old.state = 'queued' and new.state = 'running' and new.attempt = old.attempt then
    raise exception 'run % is taken up without another attempt', old.run_id using errcode = 'check_violation';
  end if;
  if new.state not in ('running', 'waiting_permission') then
    new.lease_until := null;
  elsif new.lease_until is null then
    -- A replica of the version before wrote it. Its resident does not renew, and gives up a run of its own after 15 minutes.
    new.lease_until := now() + interval '15 minutes';
  end if;
  return new;
end $$;

update run set lease_until = now() + interval '15 minutes' where state in ('running', 'waiting_permission');
alter table run add constraint run_leased check ((state in ('running', 'waiting_permission')) = (lease_until is not null));
