-- A rule that a person gave in a run that only `supply` had reached holds in such runs alone. Rules of before hold as they did. ADR 90.
alter table allow_rule add column supply boolean not null default false check (tainted or not supply);
drop index allow_rule_one_of_agent;
drop index allow_rule_one_of_session;
create unique index allow_rule_one_of_agent on allow_rule (agent_uid, tool, coalesce(allow_key, ''), tainted, supply)
  where session_id is null and revoked_at is null;
create unique index allow_rule_one_of_session on allow_rule (session_id, created_by_id, agent_uid, tool, coalesce(allow_key, ''), tainted, supply)
  where session_id is not null and revoked_at is null;
create or replace function allow_rule_keeps_its_taint() returns trigger language plpgsql as $$
begin
  if (new.tainted, new.supply) is distinct from (old.tainted, old.supply) then
    raise exception 'the reach of rule % never changes', old.rule_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
