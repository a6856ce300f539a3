-- A run that changes nothing: its policy denies each call that changes something.
alter table run add column safe_mode text check (safe_mode in ('analysis_only', 'dry_run'));
create function run_keeps_its_safe_mode() returns trigger language plpgsql as $$
begin
  if new.safe_mode is distinct from old.safe_mode then
    raise exception 'the safe mode of run % never changes', old.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger keeps_its_safe_mode before update on run for each row execute function run_keeps_its_safe_mode();
alter table run enable always trigger keeps_its_safe_mode;
grant select (safe_mode) on run to {reader};
