import { isEgressTool, type ProgramClaim, programClaimOf } from '@hamlet/contract';
import { HANDS_TOOLS, placeOf, type ToolPlace, villageTool } from '@hamlet/contract/tools';
import { readJson, runtimeFacts, titleFrom } from '@hamlet/core';
import { gitCommand } from '@hamlet/core/git';
import type { CallItem, CallState } from '../../client/minds/trace-items.ts';
import type { Tone } from '../../ui/controls.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { shortArguments, shortLine, shownWrite } from './shown-arguments.ts';
import { isJsonObject } from '../../client/json.ts';
import { splitAtPosts } from '../markdown/post-address.ts';
import { doneLabel, readPlan } from './todo.ts';
import { visibleText } from '@hamlet/core/visible-text';

type ToolLabel = Readonly<{ word: string; icon: IconName }>;

const TOOL_LABELS: Readonly<Record<string, ToolLabel | undefined>> = {
  look_around: { word: 'Look around', icon: 'eye' },
  go_to: { word: 'Walk', icon: 'walking' },
  find_agent: { word: 'Find an agent', icon: 'follow' },
  read_board: { word: 'Read the board', icon: 'board' },
  search_board: { word: 'Search the board', icon: 'search' },
  balance: { word: 'Look at its balance', icon: 'coin' },
  quote: { word: 'Ask for a price', icon: 'coin' },
  list_schedules: { word: 'List schedules', icon: 'calendar' },
  remember: { word: 'Remember', icon: 'thought' },
  forget: { word: 'Forget', icon: 'trash' },
  pin: { word: 'Pin a memory', icon: 'thought' },
  list_memories: { word: 'List memories', icon: 'thought' },
  search_memories: { word: 'Search its memory', icon: 'thought' },
  todo: { word: 'Plan the work', icon: 'board' },
  find_tools: { word: 'Find tools', icon: 'eye' },
  say: { word: 'Say', icon: 'speech' },
  use_place: { word: 'Use a place', icon: 'home' },
  pick_up: { word: 'Pick up', icon: 'bag' },
  give: { word: 'Give', icon: 'bag' },
  post_to_board: { word: 'Post on the board', icon: 'board' },
  reply_on_board: { word: 'Reply on the board', icon: 'board' },
  close_post: { word: 'Close a post', icon: 'board' },
  buy: { word: 'Buy', icon: 'coin' },
  bid: { word: 'Bid', icon: 'gavel' },
  amend_personality: { word: 'Change its personality', icon: 'edit' },
  propose_schedule: { word: 'Propose a schedule', icon: 'calendar' },
  shell: { word: 'Run a command', icon: 'keyboard' },
  git: { word: 'Use git', icon: 'history' },
  read_output: { word: 'Read output', icon: 'eye' },
  wait_for: { word: 'Wait', icon: 'history' },
  list_processes: { word: 'List processes', icon: 'server' },
  stop_process: { word: 'Stop a process', icon: 'stop' },
  read_file: { word: 'Read a file', icon: 'eye' },
  write_file: { word: 'Write a file', icon: 'edit' },
  edit_file: { word: 'Edit a file', icon: 'edit' },
  list_files: { word: 'List files', icon: 'layers' },
  search_files: { word: 'Search files', icon: 'search' },
  remember_documents: { word: 'Remember documents', icon: 'thought' },
  list_changes: { word: 'List changes', icon: 'history' },
  undo_change: { word: 'Undo a change', icon: 'undo' },
  http: { word: 'Send a request', icon: 'signal' },
  web_fetch: { word: 'Read a web page', icon: 'reading' },
  web_search: { word: 'Search the web', icon: 'search' },
  call_agent: { word: 'Call an agent outside', icon: 'globe' },
  browser_open: { word: 'Open a page', icon: 'eye' },
  browser_read: { word: 'Look at the page', icon: 'reading' },
  browser_click: { word: 'Click', icon: 'check' },
  browser_fill: { word: 'Fill in a field', icon: 'edit' },
  browser_screenshot: { word: 'Take a screenshot', icon: 'square' },
  browser_download: { word: 'Download a file', icon: 'bag' },
  install_package: { word: 'Install packages', icon: 'bag' },
  run_script: { word: 'Run a script of its own', icon: 'layers' },
  list_scripts: { word: 'Look at its scripts', icon: 'layers' },
  save_script: { word: 'Save a script', icon: 'layers' },
  delete_script: { word: 'Delete a script', icon: 'trash' },
  adopt_script: { word: 'Adopt a script of another agent', icon: 'layers' },
  load_skill: { word: 'Read a skill', icon: 'layers' },
  read_skill_file: { word: 'Read a file of a skill', icon: 'layers' },
  deliver: { word: 'Deliver', icon: 'bag' },
  delegate: { word: 'Delegate to a worker', icon: 'users' },
  run_stage: { word: 'Give a stage to a worker', icon: 'users' },
  find: { word: 'Find files', icon: 'search' },
  list_workers: { word: 'List its workers', icon: 'users' },
  git_push: { word: 'Push to a repository', icon: 'send' },
  git_push_elsewhere: { word: 'Push outside of its own branches', icon: 'send' },
  reach_host: { word: 'Open a host', icon: 'signal' },
  publish_package: { word: 'Publish a package', icon: 'send' },
  open_checkout: { word: 'Open a checkout page', icon: 'coin' },
  send_request: { word: 'Send something out of the village', icon: 'send' },
  ask_human: { word: 'Ask a person', icon: 'user' },
  program_act: { word: 'Use a tool of its program', icon: 'play' },
  command: { word: 'Work of its program', icon: 'chip' },
  acp: { word: 'Work of its program', icon: 'chip' },
  'program.read': { word: 'Read', icon: 'eye' },
  'program.edit': { word: 'Edit', icon: 'edit' },
  'program.delete': { word: 'Delete', icon: 'trash' },
  'program.move': { word: 'Move', icon: 'layers' },
  'program.search': { word: 'Search', icon: 'search' },
  'program.execute': { word: 'Run a command', icon: 'keyboard' },
  'program.think': { word: 'Think', icon: 'thought' },
  'program.fetch': { word: 'Read from the net', icon: 'globe' },
  'program.switch_mode': { word: 'Change its mode', icon: 'edit' },
  'program.other': { word: 'Use a tool', icon: 'play' },
  'program.plan': { word: 'Plan the work', icon: 'board' },
  'program.install': { word: 'Installation', icon: 'bag' },
};

/** The label of a tool; an unknown tool keeps its name. */
export function toolLabel(tool: string): ToolLabel {
  return TOOL_LABELS[tool] ?? { word: tool, icon: 'play' };
}

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
  subjectOf,
  todoIn,
  titleBesideWord,
];

/** The title of a claim, without the marks of code that programs write around a command; null without a claim. */
export const claimTitle = (claim: ProgramClaim | null): string | null =>
  claim === null ? null : visibleText(claim.title).replace(/^`([^`]*)`$/, '$1');

/**
 * A folded call in one line: a git command, the summary of a write, its subject, the state of a plan, the words of a
 * program about it, or the values of its arguments.
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
  custom: { word: 'custom', hint: 'Code of others, which runs in the machine of the agent alone' },
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
