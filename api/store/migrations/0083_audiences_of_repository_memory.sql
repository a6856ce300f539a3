-- Who may know an entry: the people of the session in which it arose; null for everybody who may use the repository. Entries of earlier
-- versions stay for everybody: when they arose, everybody who may use the repository read them. ADR 116.
alter table repository_memory_entry
  add column audience text[] check (cardinality(audience) between 1 and 64 and octet_length(audience::text) <= 32768);

create function repository_memory_keeps_its_people() returns trigger language plpgsql as $$
begin
  raise exception 'the audience of entry % never changes', old.memory_id using errcode = 'check_violation';
end $$;
create trigger keeps_its_people before update on repository_memory_entry for each row
  when (new.audience is distinct from old.audience) execute function repository_memory_keeps_its_people();
alter table repository_memory_entry enable always trigger keeps_its_people;

-- When an admin last read entries that arose with others; the audit names them once an hour.
create table repository_memory_look (
  repository text not null references repository_memory on delete cascade,
  admin_id text not null check (length(admin_id) between 1 and 300),
  looked_at timestamptz not null default clock_timestamp(),
  primary key (repository, admin_id)
);

grant select, insert, update, delete on repository_memory_look to {app};
