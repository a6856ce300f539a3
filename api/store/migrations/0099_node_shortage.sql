-- Nodes that are or may become short of memory, and the agents that wait for them. ADR 141.
create table node_shortage (
  node text primary key check (length(node) between 1 and 253),
  -- Readings in a row beyond a limit; a node is short from the second one on.
  tight_readings int not null check (tight_readings >= 1),
  since timestamptz,
  -- The newest step that paused agents.
  stepped_at timestamptz,
  easy_since timestamptz,
  read_at timestamptz not null,
  check ((since is null) = (stepped_at is null) and (easy_since is null or since is not null))
);

create table agent_pause (
  pause_id uuid primary key default uuidv7(),
  agent_id text not null check (length(agent_id) between 1 and 63),
  node text not null check (length(node) between 1 and 253),
  since timestamptz not null default now(),
  ended_at timestamptz
);
create unique index agent_pause_one_open on agent_pause (node, agent_id) where ended_at is null;
create index agent_pause_in_timeline on agent_pause (agent_id, pause_id desc);
create index agent_pause_by_end on agent_pause (ended_at) where ended_at is not null;

grant select, insert, update, delete on node_shortage to {app};
grant select, insert, delete, update (ended_at) on agent_pause to {app};
grant select on node_shortage, agent_pause to {reader};
