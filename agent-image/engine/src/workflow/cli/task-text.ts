import { firstChars } from '../../first-chars.ts';
import type { StageView, Task, TaskQuestion } from '../facade/task.ts';
import { tokensText, turnsText } from './duration-text.ts';

const SIGNS: Readonly<Record<StageView['status'], string>> = {
  RUNNING: '▸',
  COMPLETED: '✔',
  FAILED: '✖',
  SKIPPED: '-',
  STOPPED: '-',
};

/** The output of a task for people and pipes: a text as it is, other values as JSON. Pure. */
export const outputText = (output: unknown): string =>
  `${typeof output === 'string' ? output : JSON.stringify(output, null, 2)}\n`;

/** A task with its stages, for people. Pure. */
export function taskText(task: Task): string {
  const { id, status, workflow, pipeline, stages, spent, failure, output } = task;
  const width = Math.max(0, ...stages.map((stage) => stage.id.length));
  const ends = [
    ...(failure === null ? [] : [failureText(failure)]),
    ...(status === 'COMPLETED' ? [`output: ${outputText(output).trimEnd()}`] : []),
  ];
  return `${[
    `task ${id} ${status}, workflow ${workflow}, pipeline ${pipeline}, ${tokensText(spent.tokens)}`,
    ...stages.map((stage) => stageLine(stage, width)),
    ...ends,
  ].join('\n')}\n`;
}

function stageLine(stage: StageView, width: number): string {
  const { id, role, status, failure } = stage;
  const why = failure === null ? '' : `${failure.category}/${failure.code}: ${firstLine(failure.message)}`;
  return `  ${SIGNS[status]} ${id.padEnd(width)}  ${role.padEnd(8)}  ${[turnsText(stage), why].filter((part) => part !== '').join('; ')}`.trimEnd();
}

const LINE_MAX_CHARS = 300;

const firstLine = (text: string): string => firstChars(text.split('\n', 1)[0] ?? '', LINE_MAX_CHARS);

/** The failure of a task, with its place. Pure. */
export function failureText({ stageId, nodeType, category, code, message }: NonNullable<Task['failure']>): string {
  const place = stageId === '' ? '' : ` in the ${nodeType} stage ${stageId}`;
  return `failed${place} with ${category}/${code}: ${message}`;
}

const MAX_ARGUMENT_CHARS = 500;

/** A question to people about a call. Pure. */
export function questionText({ tool, arguments: text, why }: TaskQuestion): string {
  const shown = text.length > MAX_ARGUMENT_CHARS ? `${firstChars(text, MAX_ARGUMENT_CHARS)}…` : text;
  return why === 'unknown' ? `did ${tool} ${shown} happen?` : `may ${tool} be called with ${shown}?`;
}
