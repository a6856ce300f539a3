-- An admission verifies its caller too, so that a caller that was looked up a short time ago needs no trip of its own. ADR 104.

-- Under the lock of the agent's hour: looks for measures and for the caller's token (an agent's token of this life, or an API key of the agent), and
-- then does what admit_model_request does. Further verdicts: token_invalid, and stale_cycle where a newer cycle of the life has begun. These three
-- verdicts store no request.
create function admit_model_caller(
  token_hash bytea, cycle bigint,
  agent_id text, agent_uid text, pod_uid text, run_id uuid, tier text, model text, provider text, tokens integer,
  in_flight_max integer, quota bigint, life_s integer,
  pays boolean, amount bigint, lasts_ms bigint, note text, about jsonb, measures text[]
) returns model_admission language plpgsql as $$
#variable_conflict use_variable
declare
  a model_admission;
  newest bigint;
begin
  perform 1 from model_hour h where h.agent_id = agent_id for update;
  -- Statements of their own: they see what was committed while this one waited for the lock.
  select m.measure, m.reason, m.expires_at into a.measure, a.reason, a.expires_at from standing_measure m
    where m.agent_id = agent_id and m.lifted_at is null and (m.expires_at is null or m.expires_at > now())
    order by array_position(measures, m.measure) limit 1;
  if found then
    a.verdict := 'barred';
    return a;
  end if;
  select l.cycle into newest from agent_session s join agent_life l on l.uid = s.uid
    where s.token_hash = token_hash and s.agent_id = agent_id and s.uid = agent_uid
      and s.revoked_at is null and s.expires_at > clock_timestamp() and l.closed_at is null;
  if not found then
    perform 1 from api_key k where k.key_hash = token_hash and k.agent_id = agent_id and k.revoked_at is null;
    if not found then
      a.verdict := 'token_invalid';
      return a;
    end if;
  elsif newest > cycle then
    a.verdict := 'stale_cycle';
    return a;
  end if;
  return admit_model_request(
    agent_id, agent_uid, pod_uid, run_id, tier, model, provider, tokens, in_flight_max, quota, life_s, pays, amount, lasts_ms, note, about, measures);
end $$;

revoke all on function admit_model_caller from public;
grant execute on function admit_model_caller to {app};
