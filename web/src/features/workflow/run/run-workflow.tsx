import {
  getRunWorkflow,
  listPermissions,
  listWorkers,
  type CallData,
  type Run,
  type RunWorkflow,
} from '@hamlet/contract';
import { isSettled } from '@hamlet/core';
import type { Plan } from '@hamlet/engine/manifests';
import { type ReactNode, useMemo, useState } from 'react';
import { useLive } from '../../../client/query/use-live.ts';
import { Button, LinkButton, Notice, Part, Unread } from '../../../ui/controls.tsx';
import { useRole, useViewerId } from '../../village-context.ts';
import { PlanGraph } from '../graph/plan-graph.tsx';
import { configPlace } from './config-place.ts';
import { ManifestView } from './manifest-files.tsx';
import { RepeatDialog } from './repeat-dialog.tsx';
import { mayRepeat } from './rerun-draft.ts';
import { planOfRun } from '../stages/run-plan.ts';
import { StageDetails } from '../stages/stage-details.tsx';
import { markOf } from '../stages/stage-labels.ts';
import { StageList } from '../stages/stage-list.tsx';
import { followedEdges, stageViews, type StageView } from '../stages/stage-views.ts';
import { useThrottled } from './use-throttled.ts';
import { Repeats, WorkflowFacts } from './workflow-facts.tsx';
import './workflow.css';

type WorkflowProps = Readonly<{
  run: Run;
  workflow: RunWorkflow;
  /** Changes with each news of the run. */
  version: string;
  onAnswered: () => void;
}>;

/** The page reads at most once in this time, even if the stream has more news. */
const THROTTLE_MS = 1_000;
const RUNNING_MS = 3_000;
const SETTLED_MS = 60_000;
/** Maximum number of requests of the agent that the page reads: more than stages that may run at once. */
const ASKED_MAX = 100;

/** The workflow of a run: its graph and its stages as they are now, the details of one stage, and the manifests. */
export function RunWorkflowPart({ run, workflow, version, onAnswered }: WorkflowProps) {
  const timing = {
    everyMs: isSettled(run.state) ? SETTLED_MS : RUNNING_MS,
    version: useThrottled(version, THROTTLE_MS),
  };
  const { data, refused } = useLive(getRunWorkflow, { params: { run_id: run.run_id } }, timing);
  if (data === null)
    return (
      <Part name="Workflow">
        <Unread refused={refused} word="Loading the workflow…" />
      </Part>
    );
  return <Shown {...{ run, workflow, data, timing, onAnswered }} />;
}

type ShownProps = Omit<WorkflowProps, 'version'> &
  Readonly<{ data: CallData<typeof getRunWorkflow>; timing: Readonly<{ everyMs: number; version: string }> }>;

function Shown({ run, workflow, data, timing, onAnswered }: ShownProps) {
  const ofRun = { params: { agent_id: run.agent_id }, query: { parent_run_id: run.run_id } };
  const workers = useLive(listWorkers, ofRun, timing);
  const pending = { query: { agent_id: run.agent_id, state: 'pending', limit: ASKED_MAX } } as const;
  const asked = useLive(listPermissions, pending, timing);
  // The same object while the answers describe the same plan, because its layout takes time: a run keeps its request and its manifests.
  const plan = useMemo(() => planOfRun(data, workflow), [run.run_id, data.manifests.sha256, data.pipeline, data.plan]);
  const views = stageViews({
    plan,
    stages: data.stages,
    run,
    workers: workers.data?.workers ?? [],
    permissions: asked.data?.permissions ?? [],
  });
  const answered = (): void => {
    asked.again();
    onAnswered();
  };
  const place = configPlace(run.error);
  return (
    <>
      <Part name="Workflow" className="run-workflow" data-pipeline={data.pipeline ?? undefined}>
        {workflow.rerun !== undefined && <Repeats rerun={workflow.rerun} views={views} />}
        {plan === null && <NoPlan isRefused={place !== null} />}
        <Stages {...{ run, plan, views }} onAnswered={answered}>
          <WorkflowFacts workflow={workflow} pipeline={data.pipeline} views={views} />
        </Stages>
      </Part>
      <Part name="Manifests">
        <ManifestView files={data.manifests.files} sha256={data.manifests.sha256} place={place} />
      </Part>
    </>
  );
}

type StagesProps = Pick<ShownProps, 'run' | 'onAnswered'> &
  Readonly<{ plan: Plan | null; views: readonly StageView[]; children: ReactNode }>;

/** The graph and the list of the stages, with the details of the chosen stage, or the children before a choice. */
function Stages({ run, plan, views, onAnswered, children }: StagesProps) {
  const [chosen, choose] = useState<string | null>(null);
  const selected = views.find(({ id }) => id === chosen) ?? null;
  if (views.length === 0) return null;
  return (
    <>
      <WaitingStages runId={run.run_id} views={views} onSelect={choose} />
      {plan !== null && <Graph {...{ plan, views, chosen }} onSelect={choose} />}
      <div className="workflow-columns">
        <StageList views={views} selected={chosen} onSelect={choose} />
        {selected === null ? (
          children
        ) : (
          <StageDetails
            key={selected.id}
            view={selected}
            runId={run.run_id}
            plan={plan}
            onSelect={choose}
            onAnswered={onAnswered}
            repeat={<RepeatFrom run={run} view={selected} />}
          />
        )}
      </div>
    </>
  );
}

/** The layout of 200 stages blocks the page for most of a second, that of 1,000 stages for some seconds. */
const DRAWN_AT_ONCE_MAX = 200;

type DrawnProps = Readonly<{
  plan: Plan;
  views: readonly StageView[];
  chosen: string | null;
  onSelect: (stage: string) => void;
}>;

function Graph({ plan, views, chosen, onSelect }: DrawnProps) {
  const count = plan.stages.length;
  const [isWanted, want] = useState(false);
  if (count > DRAWN_AT_ONCE_MAX && !isWanted)
    return (
      <div className="button-row">
        <Button word={`Draw the graph of ${count.toLocaleString('en')} stages`} onClick={() => want(true)} />
      </div>
    );
  return (
    <PlanGraph
      plan={plan}
      label={graphLabel(plan.workflow, views)}
      marks={new Map(views.map((view) => [view.id, markOf(view)]))}
      followed={followedEdges(views)}
      selected={chosen}
      onSelect={onSelect}
    />
  );
}

function graphLabel(workflow: string, views: readonly StageView[]): string {
  const done = views.filter(({ state }) => state === 'completed').length;
  return `Graph of the workflow ${workflow}, ${done} of ${views.length} stages done. The list below has the stages`;
}

type WaitingProps = Readonly<{ runId: string; views: readonly StageView[]; onSelect: (id: string) => void }>;

/** The stages whose agents wait for a person: their requests are in the details. Those of the run itself are above. */
function WaitingStages({ runId, views, onSelect }: WaitingProps) {
  const waiting = views.filter(
    ({ state, asked }) => state === 'waiting' && asked.every(({ run_id: asks }) => asks !== runId),
  );
  return waiting.map(({ id }) => (
    <Notice
      key={id}
      tone="waiting"
      data-waiting={id}
      end={<LinkButton word="Answer" onClick={() => onSelect(id)} data-action="answer-stage" />}
    >
      The agent of the stage <b>{id}</b> needs permission.
    </Notice>
  ));
}

function NoPlan({ isRefused }: Readonly<{ isRefused: boolean }>) {
  return (
    <Notice tone={isRefused ? 'bad' : 'info'} role="status">
      {isRefused
        ? 'The manifests have an error: see the marked line below. Correct the workflow of the agent and start another run.'
        : 'The manifests give no graph: they have an error, or no pipeline fits the task.'}
    </Notice>
  );
}

function RepeatFrom({ run, view }: Readonly<{ run: Run; view: StageView }>) {
  const [isOpen, setOpen] = useState(false);
  const viewer = { role: useRole(), id: useViewerId() };
  if (view.stage === null || view.state === 'skipped' || !mayRepeat(run, viewer)) return null;
  return (
    <>
      <div className="button-row">
        <Button icon="reboot" word="Repeat from here" onClick={() => setOpen(true)} data-action="repeat-from" />
      </div>
      {isOpen && (
        <RepeatDialog runId={run.run_id} stage={view.id} input={view.stage.input} onClose={() => setOpen(false)} />
      )}
    </>
  );
}
