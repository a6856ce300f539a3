-- Permissions that people give beforehand, people who leave a session, and transcripts that are forgotten. Permissions: 0026, sessions: 0027. ADR 76.

-- The word of a person for all later calls of one tool by one life of an agent. It answers requests; it permits no call by itself.
create table allow_rule (
  rule_id uuid primary key default uuidv7(),
  agent_id text not null check (length(agent_id) between 1 and 63),
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  tool text not null check (length(tool) between 1 and 64),
  -- Null: for all runs of the agent. Else for the messages of its author in this session.
  session_id uuid references session on delete cascade,
  -- The permission with which it was given, which goes with its run.
  permission_id uuid not null unique,
  created_by_role text not null check (created_by_role in ('member', 'admin')),
  created_by_id text not null check (length(created_by_id) between 1 and 300),
  created_by_name text not null check (char_length(created_by_name) between 1 and 64),
  created_at timestamptz not null default clock_timestamp(),
  used integer not null default 0 check (used >= 0),
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by_role text,
  revoked_by_id text,
  -- Members allow only in a session.
  check (session_id is not null or created_by_role = 'admin'),
  check ((revoked_at is null) = (revoked_by_role is null) and (revoked_at is null) = (revoked_by_id is null))
);
create unique index allow_rule_one_of_agent on allow_rule (agent_uid, tool) where session_id is null and revoked_at is null;
create unique index allow_rule_one_of_session on allow_rule (session_id, created_by_id, agent_uid, tool) where session_id is not null and revoked_at is null;
create index allow_rule_by_agent on allow_rule (agent_id, rule_id desc);

create function allow_rule_stays() returns trigger language plpgsql as $$
begin
  if (new.rule_id, new.agent_id, new.agent_uid, new.tool, new.session_id, new.permission_id, new.created_by_role, new.created_by_id, new.created_by_name, new.created_at)
      is distinct from (old.rule_id, old.agent_id, old.agent_uid, old.tool, old.session_id, old.permission_id, old.created_by_role, old.created_by_id,
        old.created_by_name, old.created_at) then
    raise exception 'rule % never changes, but for its use and its end', old.rule_id using errcode = 'check_violation';
  end if;
  if old.revoked_at is not null then
    raise exception 'rule % has been revoked', old.rule_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger stays before update on allow_rule for each row execute function allow_rule_stays();
alter table allow_rule enable always trigger stays;
create trigger no_truncate before truncate on allow_rule for each statement execute function refuse_change();
grant select, insert, update on allow_rule to {app};
grant select on allow_rule to {reader};

-- The rule that answered. No foreign key: a rule goes with its session, and the permission stays as it is.
alter table permission add column rule_id uuid;
grant select (rule_id) on permission to {reader};

-- A person who leaves is a change of the session as one who comes.
create function session_person_left() returns trigger language plpgsql as $$
begin
  perform note_session_event(old.session_id, 'session', old.session_id, null);
  return null;
end $$;
create trigger noted_leaving after delete on session_person for each row execute function session_person_left();

-- The text of a message of an ended session can be forgotten, once. The row stays for its author, time, order and cost.
alter table session_message add column forgotten_at timestamptz;
alter table session_message drop constraint session_message_text_check;
alter table session_message add constraint session_message_text_check
  check (case when forgotten_at is null then char_length(text) between 1 and 65536 else text = '' end);

create or replace function session_message_stays() returns trigger language plpgsql as $$
begin
  if (new.message_id, new.session_id, new.number, new.author_role, new.author_id, new.author_name, new.at, new.in_reply_to)
      is distinct from (old.message_id, old.session_id, old.number, old.author_role, old.author_id, old.author_name, old.at, old.in_reply_to)
    or (new.run_id is not null and new.run_id is distinct from old.run_id) then
    raise exception 'message % never changes, but for its state', old.message_id using errcode = 'check_violation';
  end if;
  if (new.text, new.forgotten_at) is distinct from (old.text, old.forgotten_at) and not (
      old.forgotten_at is null and new.forgotten_at is not null and new.text = ''
      and exists (select from session where session.session_id = old.session_id and session.terminated_at is not null)) then
    raise exception 'the text of message % only goes as a whole, after the end of its session', old.message_id using errcode = 'check_violation';
  end if;
  if old.state in ('answered', 'failed', 'cancelled') and new.state <> old.state then
    raise exception 'message % has ended as %', old.message_id, old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;

alter table session add column forgotten_at timestamptz check (forgotten_at is null or terminated_at is not null);
drop index session_ended;
create index session_to_forget on session (terminated_at) where terminated_at is not null and forgotten_at is null;
create index session_forgotten on session (forgotten_at) where forgotten_at is not null;
