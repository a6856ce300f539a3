-- The result of a worker names the calls that rules or people denied it.
create index run_event_denied on run_event (run_id, number) where event = 'call_settled' and detail ->> 'outcome' = 'denied';
-- A deliverable is a version of those that the agent delivered before under its name.
create index artifact_by_name on artifact (agent_id, name, artifact_id) where deliverable is not null;
