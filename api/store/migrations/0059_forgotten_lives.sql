-- A life of an agent that ended long ago is forgotten: its runs, journal, marks of memories and allow rules go, once.
alter table agent_life add column forgotten_at timestamptz check (forgotten_at is null or closed_at is not null);
create index agent_life_to_forget on agent_life (closed_at) where closed_at is not null and forgotten_at is null;
grant delete on allow_rule to {app};
