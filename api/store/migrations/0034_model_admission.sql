-- One trip to the database admits a request to a model, and one ends it: before, an admission took eight. ADR 72.
-- Lock order: the agent's row of model_hour, ledger.account, model_request, run. A freeze takes the last three in this order, too.

-- What an admission found. verdict: admitted, too_many_in_flight, token_quota_exhausted, barred (by a measure), no_account, or the SQLSTATE of a
-- refusal of the ledger. used, resets_in_s and in_flight are those of the hour before this request.
create type model_admission as (
  verdict text, request_id uuid, used bigint, resets_in_s integer, in_flight integer, hold_id uuid,
  measure text, reason text, expires_at timestamptz, balance bigint, held bigint
);

-- Locks the agent's hour; compares it with the limits; with pays, looks for measures and holds the amount (zero holds nothing); stores the request.
-- A request that fits its limits and cannot be paid is stored as not_paid. measures: the most severe first.
-- The commit does not wait for the disk. A crash of Postgres within its next moments loses the row and the hold together, so that the books
-- stay right: then the end of the request fails. Every end waits, and with it the disk has all that was committed before.
create function admit_model_request(
  agent_id text, agent_uid text, pod_uid text, run_id uuid, tier text, model text, provider text, tokens integer,
  in_flight_max integer, quota bigint, life_s integer,
  pays boolean, amount bigint, lasts_ms bigint, note text, about jsonb, measures text[]
) returns model_admission language plpgsql as $$
#variable_conflict use_variable
declare
  a model_admission;
  began timestamptz;
  payer bigint;
  at timestamptz;
begin
  perform set_config('synchronous_commit', 'off', true);
  select h.used, h.began_at into a.used, began from model_hour h where h.agent_id = agent_id for update;
  if not found then
    insert into model_hour values (agent_id, now(), 0) on conflict do nothing;
    select h.used, h.began_at into a.used, began from model_hour h where h.agent_id = agent_id for update;
  end if;
  if began <= now() - interval '1 hour' then
    a.used := 0;
    began := now();
  end if;
  a.resets_in_s := ceil(extract(epoch from began + interval '1 hour' - now()));
  -- A statement of its own: it sees what was committed while this one waited for the lock.
  select count(*) into a.in_flight from model_request r
    where r.agent_id = agent_id and r.outcome = 'under_way' and r.started_at > now() - life_s * interval '1 second';
  if a.in_flight >= in_flight_max or a.used + tokens > quota then
    a.verdict := case when a.in_flight >= in_flight_max then 'too_many_in_flight' else 'token_quota_exhausted' end;
    return a;
  end if;
  a.verdict := 'admitted';
  a.request_id := uuidv7();
  if pays then
    select m.measure, m.reason, m.expires_at into a.measure, a.reason, a.expires_at from standing_measure m
      where m.agent_id = agent_id and m.lifted_at is null and (m.expires_at is null or m.expires_at > now())
      order by array_position(measures, m.measure) limit 1;
    if found then
      a.verdict := 'barred';
    elsif amount > 0 then
      select c.account_id, c.balance, c.held into payer, a.balance, a.held from ledger.account c
        where c.book = 'agent' and c.owner = agent_id and c.shard = 0;
      if not found then
        a.verdict := 'no_account';
      else
        begin
          select h.hold_id into a.hold_id from ledger.hold(
            payer, ledger.village_account('compute'), amount, 'tokens ' || agent_id || ' ' || a.request_id, 'usage', 'system', note, 'agent', agent_id,
            clock_timestamp() + lasts_ms * interval '1 millisecond', about) h;
        exception when others then
          if sqlstate not like 'LD%' then raise; end if;
          a.verdict := sqlstate;
        end;
      end if;
    end if;
  end if;
  at := clock_timestamp();
  insert into model_request (
    request_id, agent_id, agent_uid, pod_uid, run_id, tier, model, provider, outcome, reserved_tokens, hour_began_at, started_at, ended_at
  ) values (
    a.request_id, agent_id, agent_uid, pod_uid, run_id, tier, model, provider, case when a.verdict = 'admitted' then 'under_way' else 'not_paid' end,
    tokens, began, at, case when a.verdict = 'admitted' then null else at end
  );
  update model_hour h set used = a.used + case when a.verdict = 'admitted' then tokens else 0 end, began_at = began where h.agent_id = agent_id;
  return a;
end $$;

-- Ends a request and frees its unused tokens. False if it had ended before.
create function end_model_request(request_id uuid, outcome text, prompt_tokens integer, completion_tokens integer)
returns boolean language plpgsql as $$
#variable_conflict use_variable
declare
  agent text;
  reserved integer;
  hour timestamptz;
begin
  select r.agent_id, r.reserved_tokens, r.hour_began_at into agent, reserved, hour from model_request r where r.request_id = request_id;
  perform 1 from model_hour h where h.agent_id = agent for update;
  update model_request r
    set outcome = end_model_request.outcome, prompt_tokens = end_model_request.prompt_tokens,
      completion_tokens = end_model_request.completion_tokens, ended_at = clock_timestamp()
    where r.request_id = request_id and r.outcome = 'under_way';
  if not found then return false; end if;
  update model_hour h set used = greatest(0, h.used - reserved + prompt_tokens + completion_tokens)
    where h.agent_id = agent and h.began_at = hour;
  return true;
end $$;

revoke all on function admit_model_request, end_model_request from public;
grant execute on function admit_model_request, end_model_request to {app};
