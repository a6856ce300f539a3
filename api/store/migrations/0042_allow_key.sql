-- A rule for the shell holds for commands of one kind, by its key; null for a rule of another tool. ADR 79.
alter table allow_rule add column allow_key text check (char_length(allow_key) between 1 and 300);
-- Rules for all of the shell end: no command had a key when a person gave them.
update allow_rule set revoked_at = clock_timestamp(), revoked_by_role = 'system', revoked_by_id = 'migration 0042'
  where tool = 'shell' and revoked_at is null;
alter table allow_rule add check (tool <> 'shell' or allow_key is not null or revoked_at is not null);
drop index allow_rule_one_of_agent;
drop index allow_rule_one_of_session;
create unique index allow_rule_one_of_agent on allow_rule (agent_uid, tool, coalesce(allow_key, ''))
  where session_id is null and revoked_at is null;
create unique index allow_rule_one_of_session on allow_rule (session_id, created_by_id, agent_uid, tool, coalesce(allow_key, ''))
  where session_id is not null and revoked_at is null;

create function allow_rule_keeps_its_key() returns trigger language plpgsql as $$
begin
  if new.allow_key is distinct from old.allow_key then
    raise exception 'the key of rule % never changes', old.rule_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger keeps_its_key before update on allow_rule for each row execute function allow_rule_keeps_its_key();
alter table allow_rule enable always trigger keeps_its_key;
