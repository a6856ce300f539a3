-- The sessions that calls over A2A opened without naming one. The API ends the oldest idle one when a person has too many.
create table a2a_context (
  session_id uuid primary key references session on delete cascade,
  agent_id text not null check (length(agent_id) between 1 and 63),
  person_id text not null check (length(person_id) between 1 and 300),
  opened_at timestamptz not null default clock_timestamp()
);
create index a2a_context_of_person on a2a_context (agent_id, person_id, opened_at);

grant select, insert, delete on a2a_context to {app};
grant select on a2a_context to {reader};
