-- Workers: runs that a call of another run of the same agent began. ADR 84.
alter table run
  add column parent_run_id uuid references run on delete cascade,
  add column parent_call_id text check (length(parent_call_id) between 1 and 200),
  add column role text check (char_length(role) between 1 and 64),
  add column depth smallint not null default 0 check (depth between 0 and 8),
  add check ((kind = 'worker') = (parent_run_id is not null)),
  add check ((parent_run_id is null) = (parent_call_id is null) and (parent_run_id is null) = (role is null)),
  add check ((parent_run_id is null) = (depth = 0)),
  -- Its budgets are a share of those of its parent, so it has them from the beginning.
  add check (kind <> 'worker' or budgets is not null),
  add check (parent_run_id <> run_id);
-- One call begins one worker, also if it is repeated.
create unique index run_worker_of_call on run (parent_run_id, parent_call_id) where parent_run_id is not null;
create index run_worker_of_agent on run (agent_id, run_id desc) where kind = 'worker';

create function worker_keeps_its_parent() returns trigger language plpgsql as $$
begin
  if (new.parent_run_id, new.parent_call_id, new.role, new.depth)
      is distinct from (old.parent_run_id, old.parent_call_id, old.role, old.depth) then
    raise exception 'parent, role and depth of run % never change', old.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger keeps_its_parent before update on run for each row execute function worker_keeps_its_parent();
alter table run enable always trigger keeps_its_parent;

grant select (parent_run_id, parent_call_id, depth) on run to {reader};
