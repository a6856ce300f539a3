-- Attempts of programs in pods to reach the outside, as the broker reports them before it lets anything out; and the broker's own role. ADR 77.
alter table api_key drop constraint api_key_role_check,
  add constraint api_key_role_check check (role in ('member', 'admin', 'agent', 'operator', 'broker'));

create table egress_attempt (
  attempt_id uuid primary key,
  agent_id text not null check (length(agent_id) between 1 and 63),
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  cycle bigint not null check (cycle >= 0),
  -- Run and call as the pod names them. Witnessed: the API found this run of this life, or this call of it, under way when it stored the attempt.
  run_id uuid,
  call_id text check (length(call_id) <= 200),
  run_witnessed boolean not null check (not run_witnessed or run_id is not null),
  call_witnessed boolean not null check (not call_witnessed or (run_witnessed and call_id is not null)),
  form text not null check (form in ('tunnel', 'inspect', 'plain')),
  host text not null check (length(host) <= 300),
  port integer not null check (port between 1 and 65535),
  method text check (length(method) <= 16),
  path text check (length(path) <= 1024),
  -- Null if the broker let it out.
  refused text check (refused ~ '^egress_[a-z_]{1,56}$'),
  begun_at timestamptz not null,
  kept_at timestamptz not null default now(),
  ended_at timestamptz,
  address text check (length(address) <= 64),
  status integer check (status between 0 and 999),
  sent_bytes bigint check (sent_bytes >= 0),
  received_bytes bigint check (received_bytes >= 0),
  duration_ms bigint check (duration_ms >= 0),
  -- Null if it came to its end: otherwise the broker, or the network, cut it off.
  cut_off text check (cut_off ~ '^egress_[a-z_]{1,56}$'),
  check ((ended_at is null) = (sent_bytes is null) and (ended_at is null) = (received_bytes is null) and (ended_at is null) = (duration_ms is null)),
  check (ended_at is not null or (address is null and status is null and cut_off is null)),
  check (refused is null or ended_at is null)
);
create index egress_attempt_by_age on egress_attempt (kept_at, attempt_id);
create index egress_attempt_by_agent on egress_attempt (agent_id, kept_at, attempt_id);
create index egress_attempt_by_run on egress_attempt (run_id, kept_at, attempt_id) where run_id is not null;
create index egress_attempt_by_host on egress_attempt (host, kept_at, attempt_id);

-- Attempts of a life in an hour: beyond a limit the API admits it no longer, so that no program fills the disk with attempts.
create table egress_hour (
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  hour timestamptz not null,
  attempts integer not null check (attempts >= 0),
  primary key (agent_uid, hour)
);
create index egress_hour_by_age on egress_hour (hour);

-- An attempt has one end, and nothing else of it changes.
create function egress_attempt_ends_once() returns trigger language plpgsql as $$
begin
  if old.ended_at is not null or new.ended_at is null
    or (new.attempt_id, new.agent_id, new.agent_uid, new.cycle, new.run_id, new.call_id, new.run_witnessed, new.call_witnessed, new.form, new.host,
      new.port, new.method, new.path, new.refused, new.begun_at, new.kept_at)
    is distinct from (old.attempt_id, old.agent_id, old.agent_uid, old.cycle, old.run_id, old.call_id, old.run_witnessed, old.call_witnessed, old.form,
      old.host, old.port, old.method, old.path, old.refused, old.begun_at, old.kept_at) then
    raise exception 'attempt % only ends, and once', old.attempt_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger egress_attempt_ends_once before update on egress_attempt for each row execute function egress_attempt_ends_once();

-- The role of readers sees none of it: paths may carry texts.
grant select, insert, update, delete on egress_attempt, egress_hour to {app};
