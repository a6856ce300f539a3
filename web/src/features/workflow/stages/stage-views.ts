import type { Permission, Run, Worker, WorkflowStage } from '@hamlet/contract';
import { stageOfCall, type Plan, type PlanStage } from '@hamlet/engine/manifests';
import type { StageState } from '../graph/stage-mark.tsx';

/** A stage of the plan, and its course in the run. `worker`: the run of its agent. `asked`: pending requests of its calls and agent. */
export type StageView = Readonly<{
  id: string;
  role: string;
  planned: PlanStage | null;
  stage: WorkflowStage | null;
  state: StageState;
  worker: Run | null;
  asked: readonly Permission[];
  /** True if the run took the stage over from the run that it repeats. */
  takenOver: boolean;
}>;

type Seen = Readonly<{
  /** Null if the manifests make no plan. */
  plan: Plan | null;
  stages: readonly WorkflowStage[];
  run: Pick<Run, 'run_id' | 'state' | 'workflow'>;
  workers: readonly Pick<Worker, 'run'>[];
  /** The requests of all runs of the agent of the village. */
  permissions: readonly Permission[];
}>;

/** The stages of a run in the order of its plan, then those that the plan lacks. Pure. */
export function stageViews(seen: Seen): readonly StageView[] {
  const { plan, stages, run } = seen;
  const planned = new Map((plan?.stages ?? []).map((stage) => [stage.id, stage]));
  const begun = new Map(stages.map((stage) => [stage.stage, stage]));
  const taken = takenOver(plan, stages, run.workflow?.rerun?.stage ?? null);
  return [...new Set([...planned.keys(), ...begun.keys()])].map((id): StageView => {
    const found = { id, planned: planned.get(id) ?? null, stage: begun.get(id) ?? null };
    return { ...found, ...workOf(found, seen), takenOver: taken.has(id) };
  });
}

type Found = Pick<StageView, 'id' | 'planned' | 'stage'>;
type Work = Pick<StageView, 'role' | 'worker' | 'asked' | 'state'>;

function workOf({ id, planned, stage }: Found, { run, workers, permissions }: Seen): Work {
  const worker = workers.find((each) => each.run.run_id === stage?.worker_run_id)?.run ?? null;
  const asked = permissions.filter(
    ({ state, run_id: asks, call_id: call }) =>
      state === 'pending' && (asks === run.run_id ? stageOfCall(call) === id : asks === stage?.worker_run_id),
  );
  const isAsked = asked.length > 0 || worker?.state === 'waiting_permission';
  const role = planned?.role ?? stage?.role ?? '';
  return { role, worker, asked, state: stateOf(stage, { isAsked, isOver: GIVEN_UP.has(run.state) }) };
}

/** States of a run that ended before its workflow did. The stages of a done run have ended, even if the page does not show it yet. */
const GIVEN_UP: ReadonlySet<Run['state']> = new Set(['failed', 'cancelled']);

function stateOf(
  stage: WorkflowStage | null,
  { isAsked, isOver }: Readonly<{ isAsked: boolean; isOver: boolean }>,
): StageState {
  if (stage === null) return 'idle';
  if (stage.status === 'repeated') return isOver ? 'failed' : 'repeated';
  if (stage.status !== 'running') return stage.status;
  // The run ended before the agent recorded an end of the stage.
  if (isOver) return 'stopped';
  return isAsked ? 'waiting' : 'running';
}

/** The stages that a run took over from the run that it repeats: they ended before the stage `from` began, and are not behind it. */
function takenOver(plan: Plan | null, stages: readonly WorkflowStage[], from: string | null): ReadonlySet<string> {
  if (plan === null || from === null) return new Set();
  const behind = stagesBehind(plan, from);
  const first = stages.findIndex(({ stage }) => behind.has(stage));
  const before = first === -1 ? stages : stages.slice(0, first);
  return new Set(
    before
      .filter(({ status, worker_run_id: worker }) => status !== 'running' && worker === null)
      .map(({ stage }) => stage),
  );
}

/** A stage and all stages that edges reach from it. */
function stagesBehind({ edges }: Plan, from: string): ReadonlySet<string> {
  const found = new Set([from]);
  for (const id of found) for (const edge of edges) if (edge.from === id) found.add(edge.to);
  return found;
}

/** Ids of the edges that the run has followed; `again:STAGE` for the way back of a feedback stage. Pure. */
export function followedEdges(views: readonly StageView[]): ReadonlySet<string> {
  const rounds = new Map(views.map(({ id, stage }) => [id, stage?.round ?? 0]));
  return new Set(
    views.flatMap(({ id, planned, stage }) => {
      const judged = planned?.feedback?.reviews ?? '';
      return [...(stage?.edges ?? []), ...((rounds.get(judged) ?? 0) > 1 ? [`again:${id}`] : [])];
    }),
  );
}
