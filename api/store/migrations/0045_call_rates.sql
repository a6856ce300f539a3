-- The calls of an agent's tools in the last hour, for the rates of its tier.
create index hands_call_rate on hands_call (agent_id, tool, begun_at desc);
