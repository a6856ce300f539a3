-- Money that a person offers for the result of a run. A hold of the ledger keeps it until the offer ends. ADR 70.
create table run_offer (
  run_id uuid primary key references run on delete cascade,
  agent_id text not null check (length(agent_id) between 1 and 63),
  amount bigint not null check (amount > 0),
  hold_id uuid not null unique,
  -- The day of the village whose allowance of the person the offer has used.
  day date not null,
  offered_by_role text not null,
  offered_by_id text not null,
  offered_at timestamptz not null default now(),
  expires_at timestamptz not null check (expires_at > offered_at),
  state text not null default 'open' check (state in ('open', 'paid', 'refused', 'expired', 'returned')),
  ended_at timestamptz,
  reason text check (char_length(reason) between 1 and 500),
  check ((state = 'open') = (ended_at is null)),
  check ((state = 'refused') = (reason is not null))
);
create index run_offer_by_agent on run_offer (agent_id, run_id desc);
create index run_offer_open on run_offer (expires_at) where state = 'open';

create function run_offer_ends_once() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.state = 'open' then raise exception 'the offer for run % is open and stays', old.run_id using errcode = 'check_violation'; end if;
    return old;
  end if;
  if old.state <> 'open' or new.state = 'open' then
    raise exception 'the offer for run % cannot go from % to %', old.run_id, old.state, new.state using errcode = 'check_violation';
  end if;
  if (new.run_id, new.agent_id, new.amount, new.hold_id, new.day, new.offered_by_role, new.offered_by_id, new.offered_at, new.expires_at)
      is distinct from (old.run_id, old.agent_id, old.amount, old.hold_id, old.day, old.offered_by_role, old.offered_by_id, old.offered_at, old.expires_at) then
    raise exception 'the terms of the offer for run % never change', old.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger ends_once before update or delete on run_offer for each row execute function run_offer_ends_once();
alter table run_offer enable always trigger ends_once;

grant select, insert, delete on run_offer to {app};
grant update (state, ended_at, reason) on run_offer to {app};
grant select on run_offer to {reader};
