import type { WorkflowStage } from '@hamlet/contract';
import { moneyLabel, sumOf } from '../../../client/labels.ts';
import { lengthLabel } from '../../../ui/time-labels.ts';
import type { NodeMark } from '../graph/plan-graph.tsx';
import type { StageState } from '../graph/stage-mark.tsx';
import type { StageView } from './stage-views.ts';

const STATE_WORDS: Readonly<Record<StageState, string>> = {
  idle: 'Not begun',
  running: 'Running',
  waiting: 'Needs permission',
  completed: 'Done',
  failed: 'Failed',
  repeated: 'Tries again',
  skipped: 'Skipped',
  stopped: 'Stopped',
};

export const stateWord = ({ state, takenOver }: Pick<StageView, 'state' | 'takenOver'>): string =>
  takenOver && state === 'completed' ? 'Taken over' : STATE_WORDS[state];

/** `round 2`, `try 3`, or both; empty for the first round and attempt. */
export function turnsLabel(stage: Pick<WorkflowStage, 'round' | 'attempt'> | null): string {
  if (stage === null) return '';
  const { round, attempt } = stage;
  return [round > 1 ? `round ${round}` : '', attempt > 1 ? `try ${attempt}` : '']
    .filter((word) => word !== '')
    .join(' · ');
}

/** How long a stage has worked until its end, or until now; empty if it did not begin. A skipped stage has no time. */
export function stageLength(stage: Pick<WorkflowStage, 'started_at' | 'ended_at'> | null, nowMs: number): string {
  if (stage === null || stage.started_at === null) return '';
  const endMs = stage.ended_at === null ? nowMs : Date.parse(stage.ended_at);
  return lengthLabel(endMs - Date.parse(stage.started_at));
}

type Usage = Pick<WorkflowStage, 'tokens' | 'cost'>;

/** `1,204 tokens · 0.02 ai$`; empty without tokens. */
export const usageLabel = ({ tokens, cost }: Usage): string =>
  tokens === 0 ? '' : `${tokens === 1 ? '1 token' : `${tokens.toLocaleString('en')} tokens`} · ${moneyLabel(cost)}`;

export const totalUsage = (stages: readonly Usage[]): Usage => ({
  tokens: stages.reduce((sum, { tokens }) => sum + tokens, 0),
  cost: sumOf(stages.map(({ cost }) => cost)),
});

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const MONEY = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** The usage in the room below a node: `1.2K tok · 0.0213 ai$`. */
function shortUsage({ tokens, cost }: Usage): string {
  if (tokens === 0) return '';
  const amount = Number(cost);
  return `${SHORT.format(tokens)} tok · ${amount > 0 && amount < 0.0001 ? '<0.0001' : MONEY.format(amount)} ai$`;
}

/** The words below the node of a stage: its state and turns, then its usage. */
export function markOf(view: StageView): NodeMark {
  const { state, stage } = view;
  const turns = turnsLabel(stage);
  const isTimed = state === 'completed' && !view.takenOver;
  const word = isTimed ? stageLength(stage, 0) : stateWord(view).toLowerCase();
  const first = [state === 'running' && turns !== '' ? '' : word, turns].filter((part) => part !== '').join(' · ');
  return { state, lines: stage === null ? [] : [first, shortUsage(stage)] };
}

/** The work of a stage: `agent critic`, `tool read`, `merge`. */
export function workLabel({ role, planned }: Pick<StageView, 'role' | 'planned'>): string {
  if (planned === null) return role;
  const { agent, tool, toolPlan, feedback } = planned;
  const name = agent ?? tool;
  if (feedback !== null) return `${name === null ? 'feedback' : `agent ${name}`}, judges ${feedback.reviews}`;
  if (toolPlan !== null) return 'a plan of tools';
  return name === null ? role : `${role} ${name}`;
}
