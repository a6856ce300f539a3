-- Conversations of people with an agent. Runs and their states: 0004. ADR 63.
-- Lock order: the name of the session, then its runs, then the row of the session. A writer of events holds the row of the session.

create table session (
  session_id uuid primary key default uuidv7(),
  agent_id text not null check (length(agent_id) between 1 and 63),
  title text check (char_length(title) between 1 and 120),
  repository_url text check (char_length(repository_url) between 1 and 2048),
  repository_branch text check (char_length(repository_branch) between 1 and 255),
  created_by_role text not null check (created_by_role in ('member', 'admin')),
  created_by_id text not null,
  created_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  paused_at timestamptz,
  terminated_at timestamptz,
  messages integer not null default 0 check (messages >= 0),
  events bigint not null default 0 check (events >= 0),
  check ((repository_url is null) = (repository_branch is null))
);
create index session_by_agent on session (agent_id, session_id desc);
create index session_ended on session (terminated_at) where terminated_at is not null;

-- Only these people and admins read a session.
create table session_person (
  session_id uuid not null references session on delete cascade,
  person_id text not null check (length(person_id) between 1 and 300),
  name text not null check (char_length(name) between 1 and 64),
  added_at timestamptz not null default now(),
  primary key (session_id, person_id)
);
create index session_person_by_person on session_person (person_id, session_id desc);

-- The transcript. A message of a person becomes one run, and has at most one answer.
create table session_message (
  message_id uuid primary key default uuidv7(),
  session_id uuid not null references session on delete cascade,
  number integer not null check (number >= 1),
  author_role text not null check (author_role in ('member', 'admin', 'agent', 'system')),
  author_id text not null,
  author_name text not null check (char_length(author_name) between 1 and 64),
  text text not null check (char_length(text) between 1 and 65536),
  at timestamptz not null default clock_timestamp(),
  run_id uuid references run on delete set null,
  state text not null check (state in ('queued', 'working', 'answered', 'failed', 'cancelled')),
  in_reply_to uuid references session_message on delete cascade,
  cost_micros bigint check (cost_micros >= 0),
  steps integer check (steps >= 0),
  unique (session_id, number),
  check (author_role in ('member', 'admin') or state = 'answered')
);
create unique index session_message_by_run on session_message (run_id) where author_role in ('member', 'admin');
create index session_message_run on session_message (run_id) where run_id is not null;
create unique index session_message_one_answer on session_message (in_reply_to) where author_role = 'agent';
create index session_message_reply on session_message (in_reply_to) where in_reply_to is not null;
create index session_message_open on session_message (session_id, number) where state in ('queued', 'working');
create unique index session_message_one_working on session_message (session_id) where state = 'working';

create function session_message_stays() returns trigger language plpgsql as $$
begin
  if (new.message_id, new.session_id, new.number, new.author_role, new.author_id, new.author_name, new.text, new.at, new.in_reply_to)
      is distinct from (old.message_id, old.session_id, old.number, old.author_role, old.author_id, old.author_name, old.text, old.at, old.in_reply_to)
    or (new.run_id is not null and new.run_id is distinct from old.run_id) then
    raise exception 'message % never changes, but for its state', old.message_id using errcode = 'check_violation';
  end if;
  if old.state in ('answered', 'failed', 'cancelled') and new.state <> old.state then
    raise exception 'message % has ended as %', old.message_id, old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger stays before update on session_message for each row execute function session_message_stays();
alter table session_message enable always trigger stays;

-- Changes of a session in order, for its streams. A row names the changed thing, and a reader reads the thing as it is now.
create table session_event (
  session_id uuid not null references session on delete cascade,
  number bigint not null check (number >= 1),
  kind text not null check (kind in ('session', 'message', 'run_event', 'permission')),
  object_id uuid not null,
  run_event integer check (run_event >= 1),
  primary key (session_id, number),
  check ((kind = 'run_event') = (run_event is not null))
);

-- The row of the session stays locked until the transaction ends, so that numbers become visible in order.
create function note_session_event(session uuid, event_kind text, object uuid, event_number integer) returns void language plpgsql as $$
declare
  next bigint;
begin
  update session set events = events + 1 where session_id = note_session_event.session returning events into next;
  if next is null then return; end if;
  insert into session_event (session_id, number, kind, object_id, run_event) values (session, next, event_kind, object, event_number);
  perform pg_notify('session_event', session::text);
end $$;

create function session_changed() returns trigger language plpgsql as $$
begin
  perform note_session_event(new.session_id, 'session', new.session_id, null);
  return null;
end $$;
create trigger noted after insert on session for each row execute function session_changed();
create trigger noted_change after update of title, paused_at, terminated_at on session for each row
  when ((old.title, old.paused_at, old.terminated_at) is distinct from (new.title, new.paused_at, new.terminated_at))
  execute function session_changed();
create trigger noted after insert on session_person for each row execute function session_changed();

create function session_message_changed() returns trigger language plpgsql as $$
begin
  perform note_session_event(new.session_id, 'message', new.message_id, null);
  return null;
end $$;
create trigger noted after insert on session_message for each row execute function session_message_changed();
create trigger noted_change after update of state on session_message for each row
  when (old.state is distinct from new.state) execute function session_message_changed();

create function session_run_events() returns trigger language plpgsql as $$
declare
  target record;
  newest bigint;
begin
  for target in
    select run.session_id, count(*) as made from made_events join run on run.run_id = made_events.run_id
    where run.session_id is not null group by run.session_id order by run.session_id
  loop
    update session set events = events + target.made where session_id = target.session_id returning events into newest;
    continue when newest is null;
    insert into session_event (session_id, number, kind, object_id, run_event)
      select target.session_id, newest - target.made + row_number() over (order by made_events.run_id, made_events.number), 'run_event',
        made_events.run_id, made_events.number
      from made_events join run on run.run_id = made_events.run_id where run.session_id = target.session_id;
    perform pg_notify('session_event', target.session_id::text);
  end loop;
  return null;
end $$;
create trigger noted_in_session after insert on run_event referencing new table as made_events for each statement
  execute function session_run_events();

create function session_permission_changed() returns trigger language plpgsql as $$
declare
  target uuid;
begin
  select session_id into target from run where run_id = new.run_id;
  if target is not null then perform note_session_event(target, 'permission', new.permission_id, null); end if;
  return null;
end $$;
create trigger noted_in_session after insert on permission for each row execute function session_permission_changed();
create trigger noted_change_in_session after update of state on permission for each row
  when (old.state is distinct from new.state) execute function session_permission_changed();

-- Admins read sessions that are not theirs; the audit gets one act an hour for each admin and session.
create table session_look (
  session_id uuid not null references session on delete cascade,
  admin_id text not null check (length(admin_id) between 1 and 300),
  looked_at timestamptz not null default clock_timestamp(),
  primary key (session_id, admin_id)
);

-- Since when an agent sleeps because nothing happened. Its annotation in the cluster decides whether it does.
create table idle_sleep (
  agent_id text primary key check (length(agent_id) between 1 and 63),
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  since timestamptz not null default clock_timestamp()
);

create index firing_by_agent on firing using gin (runs jsonb_path_ops);
-- The newest act of a person on an agent, among many turns of the agent.
create index audit_of_people on audit (object, at desc) where actor_role not in ('agent', 'system');

grant select, insert, update, delete on session, idle_sleep, session_look to {app};
grant select, insert, delete on session_person to {app};
grant select, insert, update, delete on session_message to {app};
grant select, insert, delete on session_event to {app};
grant select on session_look, idle_sleep to {reader};
