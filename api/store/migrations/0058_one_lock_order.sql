-- A freeze of the village closes its gates in the order in which transactions write the three tables: run, ledger.account, model_request
-- (api/store/src/runs/lock-order.ts). Before, it locked ledger.account first, and a new run with an offer waited for it in a circle.

-- Locks one of the tables that a freeze closes. While a freeze waits, the API ends the writers that hold it up.
create function lock_gate(gate text) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  case gate
    when 'run' then lock table public.run in share row exclusive mode;
    when 'ledger.account' then lock table ledger.account in share row exclusive mode;
    when 'model_request' then lock table public.model_request in share row exclusive mode;
  end case;
end $$;

create or replace function freeze_village(reason text, by_role text, by_id text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select 1 from public.village_freeze f where f.lifted_at is null) then return false; end if;
  alter table public.run enable always trigger village_gate;
  alter table ledger.account enable always trigger village_gate;
  alter table public.model_request enable always trigger village_gate;
  -- Dated behind the gates: no transfer has a later date.
  insert into public.village_freeze (reason, by_role, by_id, since)
    values (freeze_village.reason, freeze_village.by_role, freeze_village.by_id, clock_timestamp()) on conflict do nothing;
  return found;
end $$;

create or replace function lift_village_freeze(reason text, by_role text, by_id text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  lasted interval;
begin
  update public.village_freeze f
    set lifted_at = clock_timestamp(), lifted_by_role = lift_village_freeze.by_role,
      lifted_by_id = lift_village_freeze.by_id, lift_reason = lift_village_freeze.reason
    where f.lifted_at is null returning f.lifted_at - f.since into lasted;
  if not found then return false; end if;
  alter table public.run disable trigger village_gate;
  alter table ledger.account disable trigger village_gate;
  alter table public.model_request disable trigger village_gate;
  update ledger.open_hold set expires_at = expires_at + lasted;
  return true;
end $$;

revoke all on function lock_gate from public;
grant execute on function lock_gate to {app};
