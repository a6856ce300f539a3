-- The closed hosts (host:port) that a call names and that its request showed to people: an admin who allows the call opens them to its run.
alter table permission add column opens text[] not null default '{}' check (cardinality(opens) <= 8 and octet_length(opens::text) <= 2048);

create function permission_keeps_what_it_opens() returns trigger language plpgsql as $$
begin
  raise exception 'the request of permission % never changes', old.permission_id using errcode = 'check_violation';
end $$;
create trigger keeps_what_it_opens before update on permission for each row
  when (new.opens is distinct from old.opens) execute function permission_keeps_what_it_opens();
alter table permission enable always trigger keeps_what_it_opens;
