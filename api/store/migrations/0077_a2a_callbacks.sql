-- Addresses to which the API sends the changes of a task. A row ends with its task, or when its receiver fails for too long.
create table a2a_callback (
  run_id uuid not null references run on delete cascade,
  callback_id text not null check (length(callback_id) between 1 and 64),
  agent_id text not null check (length(agent_id) between 1 and 63),
  url text not null check (length(url) <= 2048),
  -- Empty if the caller gave none.
  token text not null check (length(token) <= 512),
  version text not null check (version in ('1.0', '0.3')),
  created_at timestamptz not null default clock_timestamp(),
  -- The state that the receiver knows, by its number in the protocol; null before the first.
  sent_state smallint,
  -- Events of the run that the API has looked at.
  seen_events integer not null default 0 check (seen_events >= 0),
  failures smallint not null default 0 check (failures >= 0),
  due_at timestamptz not null default clock_timestamp(),
  primary key (run_id, callback_id)
);
create index a2a_callback_due on a2a_callback (due_at);

grant select, insert, update, delete on a2a_callback to {app};
grant select (run_id, callback_id, agent_id, version, created_at, sent_state, seen_events, failures, due_at) on a2a_callback to {reader};
