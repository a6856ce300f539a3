import type { TelemetryEvent, TelemetryOf, TelemetryType } from '../telemetry/event.ts';
import { durationText, tokensText } from './duration-text.ts';

const ENDS: Readonly<Record<TelemetryOf<'stage_finished'>['end'], string>> = {
  done: '✔',
  again: '↻',
  failed: '✖',
  skipped: '-',
  stopped: '-',
};

type Lines = Readonly<{ [T in TelemetryType]?: (event: TelemetryOf<T>) => string | null }>;

const LINES: Lines = {
  task_created: ({ task, workflow, pipeline }) => `task ${task}: workflow ${workflow}, pipeline ${pipeline}`,
  stage_started: (event) => `▸ ${event.stage}${attemptText(event)}`,
  stage_finished: finishedLine,
  tool_called: ({ tool, outcome, code }) => (outcome === 'ok' ? null : `  ${tool}: ${code ?? outcome}`),
  permission_denied: ({ tool, code, message }) => `  ${tool} denied (${code}): ${oneLine(message)}`,
  error: ({ where, failure: { category, code }, message }) =>
    `  ${where} failed with ${category}/${code}${message === '' ? '' : `: ${oneLine(message)}`}`,
};

/** A line for a person who watches a task; null for an event that says nothing to them. Pure. */
export function progressLine(event: TelemetryEvent): string | null {
  const line = LINES[event.type] as ((event: TelemetryEvent) => string | null) | undefined;
  return line?.(event) ?? null;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

function attemptText({ attempt, round }: Readonly<{ attempt: number; round: number }>): string {
  const parts = [...(attempt > 1 ? [`attempt ${attempt}`] : []), ...(round > 1 ? [`round ${round}`] : [])];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function finishedLine(event: TelemetryOf<'stage_finished'>): string {
  const { stage, end, duration_ms: ms, usage, failure } = event;
  const name = `${ENDS[end]} ${stage ?? ''}${attemptText(event)}`;
  if (end === 'skipped' || end === 'stopped') return `${name} ${end}`;
  const tokens = usage.total_tokens === 0 ? '' : `, ${tokensText(usage.total_tokens)}`;
  const why = failure === null ? '' : `, ${failure.category}/${failure.code}`;
  return `${name}  ${durationText(ms)}${tokens}${why}`;
}
