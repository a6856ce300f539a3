-- Messages in which the API reports a long run: one for a run, replaced in place. Sessions: 0027, texts that are forgotten: 0032.

alter table session_message
  add column progress boolean not null default false,
  add column version integer not null default 1 check (version >= 1),
  add column revised_at timestamptz,
  add constraint session_message_progress check (not progress or (author_role = 'agent' and in_reply_to is null)),
  add constraint session_message_revised check (progress or (version = 1 and revised_at is null));
create unique index session_message_one_progress on session_message (run_id) where progress;

create or replace function session_message_stays() returns trigger language plpgsql as $$
begin
  if (new.message_id, new.session_id, new.number, new.author_role, new.author_id, new.author_name, new.at, new.in_reply_to, new.progress)
      is distinct from (old.message_id, old.session_id, old.number, old.author_role, old.author_id, old.author_name, old.at, old.in_reply_to, old.progress)
    or (new.run_id is not null and new.run_id is distinct from old.run_id) then
    raise exception 'message % never changes, but for its state', old.message_id using errcode = 'check_violation';
  end if;
  if new.version < old.version or (new.version = old.version and new.revised_at is distinct from old.revised_at) then
    raise exception 'the version of message % only grows', old.message_id using errcode = 'check_violation';
  end if;
  if (new.text, new.forgotten_at) is distinct from (old.text, old.forgotten_at)
    and not (old.progress and old.forgotten_at is null and new.forgotten_at is null and new.version > old.version)
    and not (
      old.forgotten_at is null and new.forgotten_at is not null and new.text = ''
      and exists (select from session where session.session_id = old.session_id and session.terminated_at is not null)) then
    raise exception 'the text of message % never changes: it only goes as a whole, after the end of its session', old.message_id using errcode = 'check_violation';
  end if;
  if old.state in ('answered', 'failed', 'cancelled') and new.state <> old.state then
    raise exception 'message % has ended as %', old.message_id, old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;

create trigger noted_version after update of version on session_message for each row
  when (old.version is distinct from new.version) execute function session_message_changed();
