-- Calls that run in the hands of an agent: the API stores the start before the call runs, and the end as the pod claims it. Effects: 0026.
create table hands_call (
  hands_call_id uuid not null default uuidv7() unique,
  run_id uuid not null,
  call_id text not null,
  agent_id text not null check (length(agent_id) between 1 and 63),
  tool text not null check (length(tool) between 1 and 64),
  -- The start of the container in which it began: the processes of another one are lost.
  boot text not null check (length(boot) between 1 and 64),
  -- Whether it takes one of the agent's slots until its end.
  slot boolean not null,
  -- Without the secrets that the API recognizes.
  arguments text not null check (length(arguments) <= 65536),
  begun_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  report jsonb check (jsonb_typeof(report) = 'object'),
  primary key (run_id, call_id),
  foreign key (run_id, call_id) references effect on delete cascade,
  check ((ended_at is null) = (report is null))
);
create index hands_call_slot on hands_call (agent_id) where slot and ended_at is null;
create index hands_call_agent on hands_call (agent_id, hands_call_id desc);

create function hands_call_ends_once() returns trigger language plpgsql as $$
begin
  if old.ended_at is not null or (new.run_id, new.call_id, new.agent_id, new.tool, new.boot, new.slot, new.arguments, new.begun_at)
      is distinct from (old.run_id, old.call_id, old.agent_id, old.tool, old.boot, old.slot, old.arguments, old.begun_at) then
    raise exception 'call % of run % ends once, and never changes else', old.call_id, old.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger ends_once before update on hands_call for each row execute function hands_call_ends_once();
alter table hands_call enable always trigger ends_once;
create trigger no_truncate before truncate on hands_call for each statement execute function refuse_change();

grant select, insert, update on hands_call to {app};
grant select (hands_call_id, run_id, call_id, agent_id, tool, boot, slot, begun_at, ended_at) on hands_call to {reader};
