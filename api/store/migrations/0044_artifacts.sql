-- Bytes that calls of runs made for people: deliverables, screenshots and other outputs. ADR 86.
create table artifact (
  artifact_id uuid primary key default uuidv7(),
  run_id uuid not null,
  call_id text not null,
  agent_id text not null check (length(agent_id) between 1 and 63),
  name text not null check (char_length(name) between 1 and 200),
  -- As the agent claims it. The API serves only images under a type of their own, and those by their first bytes.
  media_type text not null check (length(media_type) between 3 and 100),
  image_type text check (image_type in ('image/png', 'image/jpeg')),
  bytes integer not null check (bytes between 1 and 5242880),
  sha256 bytea not null check (octet_length(sha256) = 32),
  deliverable text check (deliverable in ('file', 'patch', 'table')),
  kept_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null check (expires_at > kept_at),
  unique (run_id, call_id, sha256),
  foreign key (run_id, call_id) references effect on delete cascade
);
create index artifact_of_agent on artifact (agent_id, artifact_id desc) include (bytes);
create index artifact_by_expiry on artifact (expires_at);

-- In a table of its own, so that a read of a list never touches the bytes.
create table artifact_content (
  artifact_id uuid primary key references artifact on delete cascade,
  content bytea not null check (octet_length(content) between 1 and 5242880)
);
-- Images and archives are compressed already.
alter table artifact_content alter column content set storage external;

create function artifact_never_changes() returns trigger language plpgsql as $$
begin
  raise exception 'an artifact never changes: keep another one' using errcode = 'check_violation';
end $$;
create trigger never_changes before update on artifact for each row execute function artifact_never_changes();
alter table artifact enable always trigger never_changes;
create trigger never_changes before update on artifact_content for each row execute function artifact_never_changes();
alter table artifact_content enable always trigger never_changes;

grant select, insert, delete on artifact, artifact_content to {app};
-- No words and no bytes.
grant select (artifact_id, run_id, call_id, agent_id, image_type, bytes, deliverable, kept_at, expires_at) on artifact to {reader};
