import type { WorkflowStage } from '@hamlet/contract';
import { durationText, tokensText } from '@hamlet/engine/manifests';
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

function triesOf({ attempt, round }: WorkflowStage): string {
  const parts = [...(attempt > 1 ? [`attempt ${attempt}`] : []), ...(round > 1 ? [`round ${round}`] : [])];
  return parts.join(', ');
}

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
  const tries = triesOf(stage);
  const name = `${SIGNS[status]} ${id}${tries === '' ? '' : ` (${tries})`}`;
  if (status === 'skipped' || status === 'stopped') return `${name} ${status}`;
  const end =
    status === 'running' ? '' : [timeOf(stage), tokens === 0 ? '' : tokensText(tokens)].filter(Boolean).join(', ');
  const runOf = status === 'running' && worker !== null ? `run ${worker}` : '';
  return [name, end, runOf, failureOf(stage)].filter(Boolean).join('  ');
}

/** State of each stage that was reported, by its id. */
export type Reported = ReadonlyMap<string, string>;

/** Lines of the stages that have changed since the last report, and what is reported then. Pure. */
export function stageNews(
  before: Reported,
  stages: readonly WorkflowStage[],
): Readonly<{ lines: readonly string[]; reported: Reported }> {
  const reported = new Map(stages.map(({ stage, status, round, attempt }) => [stage, `${status} ${round} ${attempt}`]));
  const news = stages.filter(({ stage }) => before.get(stage) !== reported.get(stage));
  return { lines: news.map(stageLine), reported };
}

type Row = Readonly<{ id: string; role: string; stage: WorkflowStage | null }>;

/** Stages as a table: those that began, in that order, then those of the plan that have not. Pure. */
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
    NOTE: ({ stage }) => (stage === null ? '' : [triesOf(stage), failureOf(stage)].filter(Boolean).join('; ')),
  });
}
