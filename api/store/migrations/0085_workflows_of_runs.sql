-- Runs that carry out the workflow of their agent. A run keeps the manifests that it was created with, and a worker the stage that it
-- works for. ADR 125.
create table workflow_manifests (
  -- Of the files as JSON, sorted by their paths, in hexadecimal digits.
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  files jsonb not null check (jsonb_typeof(files) = 'array' and octet_length(files::text) <= 8388608),
  -- When a run was last created with them: those that no run has any more stay for a while.
  used_at timestamptz not null default now()
);

alter table run
  -- The pipeline, the input and other choices of the person.
  add column workflow jsonb check (jsonb_typeof(workflow) = 'object' and octet_length(workflow::text) <= 4194304),
  add column manifests text references workflow_manifests,
  add column stage jsonb check (jsonb_typeof(stage) = 'object' and octet_length(stage::text) <= 1024),
  add check ((workflow is null) = (manifests is null)),
  add check (workflow is null or kind in ('prompt', 'schedule')),
  add check (stage is null or kind = 'worker');
create index run_of_manifests on run (manifests) where manifests is not null;

create function run_keeps_its_workflow() returns trigger language plpgsql as $$
begin
  if (new.workflow, new.manifests, new.stage) is distinct from (old.workflow, old.manifests, old.stage) then
    raise exception 'workflow, manifests and stage of run % never change', old.run_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger keeps_its_workflow before update on run for each row execute function run_keeps_its_workflow();
alter table run enable always trigger keeps_its_workflow;

grant select, insert, delete, update (used_at) on workflow_manifests to {app};
-- No texts.
grant select (sha256, used_at) on workflow_manifests to {reader};
grant select (manifests, stage) on run to {reader};

alter table run_event drop constraint run_event_event_check;
alter table run_event
  add constraint run_event_event_check check (event in (
    'queued', 'started', 'redelivered', 'step', 'cancel_requested', 'lapsed', 'settled',
    'model_asked', 'model_answered', 'model_failed', 'call_begun', 'call_settled', 'call_unknown', 'stage_begun', 'stage_ended',
    'permission_asked', 'permission_answered', 'permission_expired', 'waiting', 'budget_warned', 'budget_raised', 'interrupted'));
