import { firstChars } from '../../first-chars.ts';
import type { TelemetryEvent, TelemetryOf, TelemetryType } from '../telemetry/event.ts';
import { durationText, tokensText, turnsText } from './duration-text.ts';

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
  stage_started: (event) => `▸ ${event.stage}${turnsIn(event)}`,
  stage_finished: finishedLine,
  // The failure of a tool stage's call is that of its stage.
  tool_called: ({ agent, tool, outcome, code }) =>
    agent === null || outcome === 'ok' ? null : `  ${tool}: ${code ?? outcome}`,
  json_repair: ({ where, result, code }) =>
    where === 'output' && result === 'refused' ? `  answer refused: ${code}` : null,
  permission_denied: ({ tool, code, message }) => `  ${tool} denied (${code}): ${oneLine(message)}`,
  error: errorLine,
};

/** A line for a person who watches a task; null for an event that says nothing to them. Pure. */
export function progressLine(event: TelemetryEvent): string | null {
  const line = LINES[event.type] as ((event: TelemetryEvent) => string | null) | undefined;
  return line?.(event) ?? null;
}

/** Maximum characters of a message; `inspect` shows more. */
const MESSAGE_MAX_CHARS = 160;

const oneLine = (text: string): string => firstChars(text.replaceAll(/\s+/g, ' ').trim(), MESSAGE_MAX_CHARS);

function turnsIn(event: Parameters<typeof turnsText>[0]): string {
  const turns = turnsText(event);
  return turns === '' ? '' : ` (${turns})`;
}

/** Null for the failures of tool stages and of the task, which their stage and the last line show. */
function errorLine({ where, failure: { category, code }, message }: TelemetryOf<'error'>): string | null {
  if (where === 'tool' || where === 'task') return null;
  if (where === 'model') return `  model: ${code}`;
  return `  ${category}/${code}${message === '' ? '' : `: ${oneLine(message)}`}`;
}

function finishedLine(event: TelemetryOf<'stage_finished'>): string {
  const { stage, end, duration_ms: ms, usage } = event;
  const name = `${ENDS[end]} ${stage ?? ''}${turnsIn(event)}`;
  if (end === 'skipped' || end === 'stopped') return `${name} ${end}`;
  const tokens = usage.total_tokens === 0 ? '' : `, ${tokensText(usage.total_tokens)}`;
  return `${name}  ${durationText(ms)}${tokens}`;
}
