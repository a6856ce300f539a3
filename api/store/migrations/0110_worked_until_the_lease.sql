-- As in 0070, but an attempt has worked until the end of its lease at the latest: the time in which the whole village was down, or a
-- backup lay on a disk, counts towards no limit.
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
    or (old.cancel_requested_at is not null and new.cancel_requested_at is distinct from old.cancel_requested_at) then
    raise exception 'the counters and times of run % only grow', old.run_id using errcode = 'check_violation';
  end if;
  if old.budgets is not null and new.budgets is distinct from old.budgets then
    if not run_budgets_grow(old.budgets, new.budgets) then
      raise exception 'the budgets of run % only grow', old.run_id using errcode = 'check_violation';
    end if;
  end if;
  -- A run is started again as another attempt: the attempt names the lease, and a lapsed lease never becomes valid again.
  if old.state <> 'running' and new.state = 'running' and new.attempt = old.attempt then
    raise exception 'run % is taken up without another attempt', old.run_id using errcode = 'check_violation';
  end if;
  if old.state = 'running' and new.state <> 'running' then
    new.worked_ms := old.worked_ms + greatest(0, extract(epoch from least(clock_timestamp(), old.lease_until) - coalesce(old.working_since, clock_timestamp())) * 1000)::bigint;
    new.working_since := null;
  elsif old.state <> 'running' and new.state = 'running' then
    new.working_since := clock_timestamp();
  elsif new.state = 'running' and old.lease_until < clock_timestamp() and new.lease_until > old.lease_until then
    -- The agent is back before the API has given up its lease.
    new.worked_ms := old.worked_ms + greatest(0, extract(epoch from old.lease_until - coalesce(old.working_since, old.lease_until)) * 1000)::bigint;
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
