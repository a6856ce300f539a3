import type { FlowStage, FlowState } from '../../state/flow-state.ts';
import type { PlanEdge, PlanStage } from '../../workflow/plan/plan.ts';
import { isRetried } from './is-retried.ts';
import { fallbackEdge, type PlanIndex } from './plan-index.ts';

/** The longest wait before another attempt: a day. */
const MAX_BACKOFF_MS = 86_400_000;

/** A stage that may begin. `sources`: the stages whose taken edges lead to it, in the order of the edges. */
export type Ready = Readonly<{
  stage: PlanStage;
  attempt: number;
  round: number;
  delayMs: number;
  sources: readonly string[];
}>;

export const attemptKey = ({ stage, round, attempt }: Pick<Ready, 'stage' | 'round' | 'attempt'>): string =>
  `${stage.id}.${round}.${attempt}`;

export type Waiting = Readonly<{ ready: readonly Ready[]; skipped: readonly string[] }>;

type Flowing = Readonly<{ index: PlanIndex; flow: FlowState }>;

/** The stages that may begin now, in the order of the plan, and those that no taken edge reaches any more. Pure. */
export function stagesToBegin(flowing: Flowing): Waiting {
  const { index, flow } = flowing;
  const ready: Ready[] = [];
  const skipped: string[] = [];
  for (const stage of index.plan.stages) {
    const before = flow.stages.get(stage.id);
    if (before !== undefined) ready.push(...nextTime(flowing, stage, before));
    else {
      const found = arrivals(flowing, stage);
      if (found === 'none') skipped.push(stage.id);
      else if (found !== 'undecided') ready.push({ stage, attempt: 1, round: 1, delayMs: 0, sources: found });
    }
  }
  return { ready, skipped };
}

/** True if a stage has ended and is neither tried nor judged again. Pure. */
export function isFinal(index: PlanIndex, flow: FlowState, id: string): boolean {
  const stage = flow.stages.get(id);
  if (stage === undefined || stage.closed === null) return false;
  const planned = index.stages.get(id);
  // A judgement that sends a stage back is the last one if that stage has then failed.
  if (stage.closed.end === 'again') return hasFailed(index, flow, planned?.feedback?.reviews ?? '');
  if (stage.closed.end === 'done') return isJudged(index, flow, stage);
  return !isUnhandled(stage) || !isTriedAgain(planned, stage);
}

function isTriedAgain(planned: PlanStage | undefined, { attempt, closed }: FlowStage): boolean {
  const failure = closed?.failure ?? null;
  return planned !== undefined && failure !== null && isRetried(planned, attempt, failure);
}

const hasFailed = (index: PlanIndex, flow: FlowState, id: string): boolean =>
  flow.stages.get(id)?.closed?.end === 'failed' && isFinal(index, flow, id);

/** True if no judge may send the stage back any more. */
function isJudged(index: PlanIndex, flow: FlowState, { id, round }: FlowStage): boolean {
  const judge = index.judges.get(id);
  return judge === undefined || ((flow.stages.get(judge)?.round ?? 0) >= round && isFinal(index, flow, judge));
}

/** True if the stage has failed and no edge leads on from there. */
export const isUnhandled = ({ closed }: FlowStage): boolean => closed?.end === 'failed' && closed.edges.length === 0;

/** Another attempt after a failure, or another round after a judgement. */
function nextTime(flowing: Flowing, stage: PlanStage, before: FlowStage): readonly Ready[] {
  const { attempt, round } = before;
  if (isUnhandled(before)) {
    // If it were not tried again, the task would have failed.
    const delayMs = Math.min(MAX_BACKOFF_MS, stage.retry.backoffMs * 2 ** (attempt - 1));
    return [{ stage, attempt: attempt + 1, round, delayMs, sources: [] }];
  }
  if (!isSentBack(flowing, before) && !isToJudgeAgain(flowing, stage, before)) return [];
  return [{ stage, attempt: 1, round: round + 1, delayMs: 0, sources: [] }];
}

function isSentBack({ index, flow }: Flowing, { id, round, closed }: FlowStage): boolean {
  const judge = flow.stages.get(index.judges.get(id) ?? '');
  return closed?.end === 'done' && judge?.closed?.end === 'again' && judge.round === round;
}

function isToJudgeAgain({ flow }: Flowing, { feedback }: PlanStage, { round, closed }: FlowStage): boolean {
  const judged = closed?.end === 'again' ? flow.stages.get(feedback?.reviews ?? '') : undefined;
  return judged?.closed?.end === 'done' && judged.round > round;
}

/** The sources of a stage that has not begun, once it may begin. `none`: no edge leads to it any more. */
function arrivals(flowing: Flowing, stage: PlanStage): readonly string[] | 'undecided' | 'none' {
  const { index, flow } = flowing;
  const inbound = index.inbound.get(stage.id) ?? [];
  const isRuled = index.ruled.has(stage.id);
  if (inbound.length === 0 && !isRuled) return [];
  const sources = takenTo(flow, inbound, isRuled ? fallbackEdge(stage.id) : null);
  const isFirstEnough = stage.merge === 'first' || isRuled;
  if (sources.length > 0 && isFirstEnough) return sources;
  if (inbound.some(({ from }) => !hasDecided(flowing, stage, from))) return 'undecided';
  return sources.length > 0 ? sources : withoutSource(isRuled);
}

/** True if the source will take no other edges. A judge begins when its stage is done, because it decides whether that is final. */
const hasDecided = ({ index, flow }: Flowing, { feedback }: PlanStage, from: string): boolean =>
  (feedback?.reviews === from && flow.stages.get(from)?.closed?.end === 'done') || isFinal(index, flow, from);

/** Any stage that fails may lead to the target of a rule. */
const withoutSource = (isRuled: boolean): 'undecided' | 'none' => (isRuled ? 'undecided' : 'none');

/** The stages that ended with one of these edges, in the order of the edges. `ruled`: the pseudo edge of a rule, which any may take. */
function takenTo(flow: FlowState, inbound: readonly PlanEdge[], ruled: string | null): readonly string[] {
  const taken = inbound.filter(({ id, from }) => flow.stages.get(from)?.closed?.edges.includes(id));
  const byRule = ruled === null ? [] : [...flow.stages.values()].filter(({ closed }) => closed?.edges.includes(ruled));
  return [...taken.map(({ from }) => from), ...byRule.map(({ id }) => id)];
}
