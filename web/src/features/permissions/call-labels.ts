import { isEgressTool, type ProgramClaim, programClaimOf } from '@hamlet/contract';
import { HANDS_TOOLS, placeOf, type ToolPlace, villageTool } from '@hamlet/contract/tools';
import { readJson, runtimeFacts, titleFrom } from '@hamlet/core';
import { gitCommand } from '@hamlet/core/git';
import type { CallItem, CallState } from '../../client/minds/trace-items.ts';
import type { Tone } from '../../ui/controls.tsx';
import { shortArguments, shortLine, shownWrite } from './shown-arguments.ts';
import { isJsonObject } from '../../client/json.ts';
import { splitAtPosts } from '../markdown/post-address.ts';
import { purchaseSummary } from './shown-purchase.ts';
import { doneLabel, readPlan } from './todo.ts';
import { toolLabel } from './tool-labels.ts';
import { visibleText } from '@hamlet/core/visible-text';

/** The command of a `git` call; null for another tool or for invalid arguments. */
export function gitCommandOf({ tool, argumentsText }: Pick<CallItem, 'tool' | 'argumentsText'>): string | null {
  if (tool !== 'git' || argumentsText === null) return null;
  const read = HANDS_TOOLS.git.input.safeParse(readJson(argumentsText));
  return read.success ? visibleText(gitCommand(read.data)) : null;
}

/** The argument that alone says what a call of the tool is about. */
const SUBJECTS: Readonly<Record<string, string | undefined>> = {
  shell: 'command',
  read_file: 'path',
  write_file: 'path',
  edit_file: 'path',
  delegate: 'prompt',
  run_stage: 'stage',
  ask_human: 'question',
  post_to_board: 'title',
  program_act: 'title',
};

function subjectOf({ tool, argumentsText }: Pick<CallItem, 'tool' | 'argumentsText'>): string | null {
  const key = SUBJECTS[tool];
  const args = key === undefined || argumentsText === null ? null : readJson(argumentsText);
  const subject = key === undefined || !isJsonObject(args) ? null : args[key];
  if (typeof subject !== 'string') return null;
  return visibleText(tool === 'ask_human' ? titleFrom(subject) : subject);
}

function todoIn({ tool, argumentsText }: Pick<CallItem, 'tool' | 'argumentsText'>): string | null {
  const items = readPlan({ tool, argumentsText });
  return items === null ? null : doneLabel(items);
}

/** The subject of a wait, such as `for process 1.0, at most 600 s`; null for another tool or for invalid arguments. */
function waitIn({ tool, argumentsText }: Pick<CallItem, 'tool' | 'argumentsText'>): string | null {
  if (tool !== 'wait_for' || argumentsText === null) return null;
  const read = HANDS_TOOLS.wait_for.input.safeParse(readJson(argumentsText));
  if (!read.success) return null;
  const { process, text, file, seconds } = read.data;
  const subjects = [
    process === undefined ? '' : `for process ${process}`,
    text === undefined ? '' : `to print “${text}”`,
    file === undefined ? '' : `for ${file}`,
  ].filter((subject) => subject !== '');
  return visibleText(subjects.length === 0 ? `${seconds} s` : `${subjects.join(' ')}, at most ${seconds} s`);
}

/** The claim of a program about a piece of its work; null for a call of the village's own. */
export const claimOf = ({ tool, argumentsText }: Pick<CallItem, 'tool' | 'argumentsText'>): ProgramClaim | null =>
  programClaimOf({ tool, arguments_text: argumentsText });

/** The title of a claim without the word of its tool, which stands before it and with which many programs begin. */
function titleBesideWord(call: Pick<CallItem, 'tool' | 'argumentsText'>): string | null {
  const title = claimTitle(claimOf(call));
  const word = `${toolLabel(call.tool).word} `;
  return title?.toLowerCase().startsWith(word.toLowerCase()) === true ? title.slice(word.length) : title;
}

type Subject = (call: Pick<CallItem, 'tool' | 'argumentsText'>) => string | null;

/** Readers of the subject of a call; the first that knows it counts. */
const SUBJECT_READERS: readonly Subject[] = [
  // The arguments are the message, which stands above.
  ({ tool }) => (runtimeFacts(tool).isOneCall ? '' : null),
  gitCommandOf,
  ({ tool, argumentsText }) =>
    isEgressTool(tool) && argumentsText !== null ? (shownWrite(argumentsText)?.summary ?? null) : null,
  ({ tool, argumentsText }) => (argumentsText === null ? null : purchaseSummary(tool, argumentsText)),
  subjectOf,
  todoIn,
  waitIn,
  titleBesideWord,
];

/** The title of a claim, without the marks of code that programs write around a command; null without a claim. */
export const claimTitle = (claim: ProgramClaim | null): string | null =>
  claim === null ? null : visibleText(claim.title).replace(/^`([^`]*)`$/, '$1');

/**
 * A folded call in one line: a git command, the summary of a write or a purchase, its subject, the state of a plan, the subject of a
 * wait, the words of a program about it, or the values of its arguments.
 */
export function shortCall(call: Pick<CallItem, 'tool' | 'argumentsText'>): string {
  for (const read of SUBJECT_READERS) {
    const text = read(call);
    if (text !== null) return shortLine(text);
  }
  return shortArguments(call.argumentsText);
}

const CALL_STATES: Readonly<Record<CallState, Readonly<{ word: string; tone: Tone }>>> = {
  running: { word: 'Under way', tone: 'waiting' },
  waiting: { word: 'Waits for a person', tone: 'waiting' },
  done: { word: 'Done', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  denied: { word: 'Denied', tone: 'bad' },
  unknown: { word: 'May have happened', tone: 'bad' },
  left: { word: 'Not finished', tone: 'sleep' },
};

/**
 * The state of a call in words. A call that delegates is over when its worker has begun; a program that ended with an
 * exit code above 0 did not succeed, although its call did.
 * @param exit the exit code by the log of the hands, for an event of an older version without one
 */
export function callStateLabel(
  call: Pick<CallItem, 'tool' | 'state' | 'exit'>,
  exit = call.exit,
): Readonly<{ word: string; tone: Tone }> {
  const { tool, state } = call;
  if (state !== 'done') return CALL_STATES[state];
  if (tool === 'delegate' || tool === 'run_stage') return { word: 'Handed over', tone: 'good' };
  if (exit === undefined || exit === 0) return CALL_STATES.done;
  return { word: exit === null ? 'Ended by a signal' : `Exit code ${exit}`, tone: 'bad' };
}

const PLACE_LABELS: Readonly<Record<ToolPlace, Readonly<{ word: string; hint: string }>>> = {
  platform: { word: 'platform', hint: 'Code of the village, outside of the machine of the agent' },
  sandbox: { word: 'sandbox', hint: 'Code of the village, in the machine of the agent' },
  custom: { word: 'custom', hint: 'Code of others, which runs only in the machine of the agent' },
};

export const placeLabel = (tool: string): Readonly<{ word: string; hint: string }> =>
  PLACE_LABELS[placeOf(villageTool(tool))];

export function witnessLabel(witnessed: boolean): Readonly<{ word: string; hint: string }> {
  return witnessed
    ? { word: 'witnessed', hint: 'The API saw this call itself' }
    : { word: 'claimed', hint: 'The agent reports this call; the API did not see it' };
}

const POST_TOOLS: ReadonlySet<string> = new Set(['post_to_board', 'reply_on_board', 'close_post', 'read_board']);

/** The post that a finished call of a board tool wrote or read; null if there is none. */
export function postOf({ tool, state, argumentsText, resultText }: CallItem): string | null {
  if (!POST_TOOLS.has(tool) || state !== 'done') return null;
  if (tool === 'post_to_board')
    return splitAtPosts(resultText ?? '').findLast((part) => part.kind === 'post')?.postId ?? null;
  const named = readJson(argumentsText ?? '');
  return isJsonObject(named) && typeof named['post_id'] === 'string' ? named['post_id'] : null;
}

/** Calls whose changes the page of a run shows by themselves: as files and as workers. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  'shell',
  'git',
  'run_script',
  'delegate',
  'run_stage',
  'deliver',
]);

/** True for a finished call that changed something outside of the agent, unless it only reads or may be repeated. */
export function isChange({ tool, state, effect, outcome }: CallItem): boolean {
  if (state !== 'done' || outcome === 'denied' || SHOWN_ELSEWHERE.has(tool) || runtimeFacts(tool).isOneCall)
    return false;
  return effect !== null && effect !== 'read' && effect !== 'idempotent';
}
