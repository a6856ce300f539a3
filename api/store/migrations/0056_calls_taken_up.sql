-- The attempt that works on a call now, where a later one took it up; null while it is the attempt that began the effect. A later
-- attempt takes up a call whose process still runs, or repeats one that may run again: it is open then, and takes its slot.
alter table hands_call
  add column cycle integer check (cycle >= 0),
  add column attempt integer check (attempt >= 1),
  add check ((cycle is null) = (attempt is null));

create function hands_call_moves_on() returns trigger language plpgsql as $$
begin
  if old.cycle is not null and (new.cycle is null or (new.cycle, new.attempt) < (old.cycle, old.attempt)) then
    raise exception 'call % of run % goes to no earlier attempt', old.call_id, old.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger moves_on before update on hands_call for each row execute function hands_call_moves_on();
alter table hands_call enable always trigger moves_on;

grant select (cycle, attempt) on hands_call to {reader};
