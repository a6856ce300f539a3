-- Freeze of the whole village: no money moves, no model is asked, no run begins. ADR 45.
--
-- Three gates stand where the three begin: every posting, hold and resolution updates ledger.account; every request to a model inserts a row of
-- model_request; every attempt at a run counts up run.attempt. A gate is a trigger that only raises. It is disabled while the village is not frozen,
-- so that a posting pays nothing for it, and the freeze enables it. ALTER TABLE takes SHARE ROW EXCLUSIVE, which waits for every transaction that has
-- written the table and lets no other write it: whatever commits after the freeze began after it, and met the gate. No snapshot, however old, sees
-- past the gate, since Postgres reads it from the catalog. Whoever changes how money is posted keeps the update of balance or held, or moves the gate.
-- Lock order: ledger.account, model_request, run, then the lock that orders internal_event.

-- Every freeze that there was; the one that holds is not lifted.
create table village_freeze (
  freeze_id uuid primary key default uuidv7(),
  reason text not null check (length(reason) between 1 and 500),
  by_role text not null,
  by_id text not null,
  since timestamptz not null,
  lifted_at timestamptz check (lifted_at >= since),
  lifted_by_role text,
  lifted_by_id text,
  lift_reason text check (length(lift_reason) between 1 and 500),
  check ((lifted_at is null) = (lifted_by_role is null)),
  check ((lifted_at is null) = (lifted_by_id is null))
);
create unique index village_freeze_one_holds on village_freeze ((true)) where lifted_at is null;

create function refuse_while_frozen() returns trigger language plpgsql as $$
begin
  raise exception 'the village is frozen' using errcode = 'VF001';
end $$;
create trigger village_gate before update of balance, held on ledger.account for each statement execute function refuse_while_frozen();
create trigger village_gate before insert on model_request for each statement execute function refuse_while_frozen();
create trigger village_gate before update on run for each row when (new.attempt > old.attempt) execute function refuse_while_frozen();
alter table ledger.account disable trigger village_gate;
alter table model_request disable trigger village_gate;
alter table run disable trigger village_gate;

-- Freezes the village; false where it is frozen already. The caller bounds its wait for transactions under way by lock_timeout.
create function freeze_village(reason text, by_role text, by_id text) returns boolean language plpgsql security definer set search_path = pg_catalog as $$
begin
  if exists (select 1 from public.village_freeze f where f.lifted_at is null) then return false; end if;
  alter table ledger.account enable always trigger village_gate;
  alter table public.model_request enable always trigger village_gate;
  alter table public.run enable always trigger village_gate;
  -- Dated behind the gates: no transfer has a later date.
  insert into public.village_freeze (reason, by_role, by_id, since)
    values (freeze_village.reason, freeze_village.by_role, freeze_village.by_id, clock_timestamp()) on conflict do nothing;
  return found;
end $$;

-- Lifts the freeze; false where none holds. Time has stood still for holds: each ends later by as long as the freeze lasted, so that what was used
-- of it is still paid.
create function lift_village_freeze(reason text, by_role text, by_id text) returns boolean language plpgsql security definer set search_path = pg_catalog as $$
declare
  lasted interval;
begin
  update public.village_freeze f
    set lifted_at = clock_timestamp(), lifted_by_role = lift_village_freeze.by_role,
      lifted_by_id = lift_village_freeze.by_id, lift_reason = lift_village_freeze.reason
    where f.lifted_at is null returning f.lifted_at - f.since into lasted;
  if not found then return false; end if;
  alter table ledger.account disable trigger village_gate;
  alter table public.model_request disable trigger village_gate;
  alter table public.run disable trigger village_gate;
  update ledger.open_hold set expires_at = expires_at + lasted;
  return true;
end $$;

-- A hold ends when its row of open_hold says so: ledger.hold, which never changes, keeps the end that was asked for.
do $later$
declare
  f record;
begin
  select p.oid, p.prosrc, replace(p.prosrc, 'delete from ledger.open_hold where hold_id = id;',
    'delete from ledger.open_hold o where o.hold_id = id returning o.expires_at into h.expires_at;') as later
    into f from pg_proc p where p.oid = 'ledger.resolve_hold'::regproc;
  if f.later = f.prosrc then raise exception 'ledger.resolve_hold does not end a hold as this migration expects'; end if;
  execute replace(pg_get_functiondef(f.oid), f.prosrc, f.later);
end $later$;

-- What was used of a hold while no money could move: posted once the freeze is lifted, and this row goes with it.
create table unposted_usage (
  hold_id uuid primary key references ledger.hold,
  agent_id text not null check (length(agent_id) between 1 and 63),
  amount bigint not null check (amount >= 0),
  key text not null check (length(key) between 1 and 400),
  about jsonb not null,
  used_at timestamptz not null default clock_timestamp()
);

create index run_by_start on run (started_at desc) where started_at is not null;
create index model_request_by_start on model_request (started_at desc);

revoke all on function freeze_village, lift_village_freeze from public;
grant execute on function freeze_village, lift_village_freeze to {app};
grant select, insert, delete on unposted_usage to {app};
grant select on village_freeze to {app}, {reader};
grant select on unposted_usage to {reader};
