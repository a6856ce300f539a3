-- The layer of an agent's personality that the agent itself amends: one row a version, over the parts of its spec. It belongs to a life.
create table personality (
  agent_uid text not null check (length(agent_uid) between 1 and 64),
  version integer not null check (version >= 1),
  agent_id text not null check (length(agent_id) between 1 and 63),
  -- Empty: the agent is as its spec says.
  text text not null check (char_length(text) <= 4000),
  reason text not null check (char_length(reason) <= 500),
  -- The version whose text an undo restored; 0 for none.
  restores integer check (restores >= 0 and restores < version),
  by_role text not null,
  by_id text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (agent_uid, version)
);
create trigger append_only before update or delete or truncate on personality for each statement execute function refuse_change();
alter table personality enable always trigger append_only;
grant select, insert on personality to {app};
grant select on personality to {reader};
