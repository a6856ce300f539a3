import type { WorkflowStage } from '@hamlet/contract';
import { durationText, tokensText, turnsText } from '@hamlet/engine/manifests';
import { printable } from '../../talk/printable.ts';
import { brief, listed } from '../../table.ts';

const SIGNS: Readonly<Record<WorkflowStage['status'], string>> = {
  running: '▸',
  completed: '✔',
  failed: '✖',
  repeated: '↻',
  skipped: '-',
  stopped: '-',
};
const MESSAGE_CHARS = 160;

function failureOf({ failure }: WorkflowStage): string {
  if (failure === null) return '';
  return printable(brief(`${failure.category}/${failure.code}: ${failure.message}`, MESSAGE_CHARS));
}

/** Empty for a stage that has not ended, or never began. */
function timeOf({ started_at: start, ended_at: end }: WorkflowStage): string {
  return start === null || end === null ? '' : durationText(Date.parse(end) - Date.parse(start));
}

/** A stage that has begun or ended, as `hamlet-engine run` reports it: `✔ judge (round 2)  1.2 s, 340 tokens`. */
function stageLine(stage: WorkflowStage): string {
  const { stage: id, status, tokens, worker_run_id: worker } = stage;
  const turns = turnsText(stage);
  const name = `${SIGNS[status]} ${id}${turns === '' ? '' : ` (${turns})`}`;
  if (status === 'skipped' || status === 'stopped') return `${name} ${status}`;
  const end =
    status === 'running' ? '' : [timeOf(stage), tokens === 0 ? '' : tokensText(tokens)].filter(Boolean).join(', ');
  const runOf = status === 'running' && worker !== null ? `run ${worker}` : '';
  return [name, end, runOf, failureOf(stage)].filter(Boolean).join('  ');
}

/** The reported state of each stage, by its id. */
export type Reported = ReadonlyMap<string, string>;

/** A line for each stage that changed since the last report, and the new report. Pure. */
export function stageNews(
  before: Reported,
  stages: readonly WorkflowStage[],
): Readonly<{ lines: readonly string[]; reported: Reported }> {
  const reported = new Map(stages.map(({ stage, status, round, attempt }) => [stage, `${status} ${round} ${attempt}`]));
  const news = stages.filter(({ stage }) => before.get(stage) !== reported.get(stage));
  return { lines: news.map(stageLine), reported };
}

type Row = Readonly<{ id: string; role: string; stage: WorkflowStage | null }>;

/** A table of the stages: first those that have begun, in that order, then the others of the plan. Pure. */
export function stagesTable(
  stages: readonly WorkflowStage[],
  planned: readonly Readonly<{ id: string; role: string }>[],
): string {
  const begun = new Set(stages.map(({ stage }) => stage));
  const rows: readonly Row[] = [
    ...stages.map((stage) => ({ id: stage.stage, role: stage.role, stage })),
    ...planned.filter(({ id }) => !begun.has(id)).map(({ id, role }) => ({ id, role, stage: null })),
  ];
  return listed(rows, 'no stage has begun', {
    STAGE: ({ id }) => id,
    ROLE: ({ role }) => role,
    STATE: ({ stage }) => stage?.status ?? 'to come',
    TIME: ({ stage }) => (stage === null ? '' : timeOf(stage)) || '-',
    TOKENS: ({ stage }) => stage?.tokens ?? '-',
    COST: ({ stage }) => stage?.cost ?? '-',
    RUN: ({ stage }) => stage?.worker_run_id ?? '-',
    NOTE: ({ stage }) => (stage === null ? '' : [turnsText(stage), failureOf(stage)].filter(Boolean).join('; ')),
  });
}
