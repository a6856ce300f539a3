-- The newest deliverables of all agents, for the activity.
create index artifact_deliverable on artifact (artifact_id desc) where deliverable is not null;
