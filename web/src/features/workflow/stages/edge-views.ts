import type { WorkflowStage } from '@hamlet/contract';
import type { EdgeType, Plan, PlanEdge } from '@hamlet/engine/manifests';
import type { StageView } from './stage-views.ts';

/** An edge from a stage. `isFollowed`: null while it is undecided. `reason`: when it is followed, or why it was not. */
export type EdgeView = Readonly<{ id: string; to: string; isFollowed: boolean | null; reason: string }>;

const ENDED: ReadonlySet<WorkflowStage['status']> = new Set(['completed', 'failed', 'skipped', 'stopped']);

/** The edges from a stage, and the fallback rules that it has followed. Pure. */
export function edgesFrom(plan: Plan | null, { id, stage }: Pick<StageView, 'id' | 'stage'>): readonly EdgeView[] {
  const followed = new Set(stage?.edges ?? []);
  const edges = (plan?.edges ?? []).filter(({ from }) => from === id);
  const known = new Set(edges.map((edge) => edge.id));
  const byRule = [...followed].filter((edge) => !known.has(edge));
  return [
    ...edges.map((edge) => edgeView(edge, followed, stage)),
    ...byRule.map((edge): EdgeView => ({
      id: edge,
      to: edge.replace(/^fallback:/, ''),
      isFollowed: true,
      reason: 'a fallback rule names this kind of failure',
    })),
  ];
}

function edgeView(edge: PlanEdge, followed: ReadonlySet<string>, stage: WorkflowStage | null): EdgeView {
  const isFollowed = followed.has(edge.id);
  const isLeft = !isFollowed && stage !== null && ENDED.has(stage.status);
  return {
    id: edge.id,
    to: edge.to,
    isFollowed: isFollowed ? true : isLeft ? false : null,
    reason: isLeft ? whyLeft(edge, stage) : TAKEN[edge.type](edge),
  };
}

const TAKEN: Readonly<Record<EdgeType, (edge: PlanEdge) => string>> = {
  normal: () => 'when the stage is done',
  conditional: ({ when }) => (when === null ? 'otherwise' : `if ${when}`),
  error: () => 'when the stage fails',
  fallback: () => 'when the stage fails and has no error edge',
};

const NOT_DONE: Readonly<Partial<Record<WorkflowStage['status'], string>>> = {
  failed: 'the stage failed',
  skipped: 'the stage was skipped',
  stopped: 'the stage was stopped',
};

function whyLeft({ type, when }: PlanEdge, { status }: WorkflowStage): string {
  if (type === 'error' || type === 'fallback')
    return status === 'failed' ? 'another edge took the failure' : 'the stage did not fail';
  const condition = when === null ? 'an earlier condition was true' : `not true, or after a true condition: ${when}`;
  return NOT_DONE[status] ?? condition;
}
