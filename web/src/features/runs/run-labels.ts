import {
  modelFailure,
  type CALL_EVENT_KINDS,
  type MODEL_EVENT_KINDS,
  type Run,
  type RunEvent,
  type RunState,
} from '@hamlet/contract';
import { isSettled, mindIn, mindLabel, runtimeFacts } from '@hamlet/core';
import type { ModelItem } from '../../client/minds/trace-items.ts';
import { refusalText } from '../../client/api.ts';
import { actorLabel, isOwn, moneyLabel, type ViewerId } from '../../client/labels.ts';
import type { StreamState } from '../../client/stream/follow-stream.ts';
import { lengthLabel } from '../../ui/time-labels.ts';
import { failureCause } from '../models/model-labels.ts';
import { toolLabel } from '../permissions/tool-labels.ts';
import { endedAtLimit } from './run-advice.ts';

type StateLabel = Readonly<{ word: string; tone: 'good' | 'waiting' | 'bad' | 'sleep' }>;

export const STATE_LABELS: Readonly<Record<RunState, StateLabel>> = {
  queued: { word: 'Queued', tone: 'sleep' },
  running: { word: 'Running', tone: 'waiting' },
  waiting_permission: { word: 'Needs permission', tone: 'waiting' },
  done: { word: 'Done', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  cancelled: { word: 'Cancelled', tone: 'sleep' },
};

/** The state of a run as people see it: after a request to end the run, it is `Ending` until it ends. */
export function stateLabel(run: Pick<Run, 'state' | 'cancel_requested_at' | 'parked'>): StateLabel {
  if (!isSettled(run.state) && run.cancel_requested_at !== null) return { word: 'Ending', tone: 'waiting' };
  if (run.state === 'queued' && (run.parked ?? null) !== null) return { word: 'Waits for its model', tone: 'waiting' };
  return STATE_LABELS[run.state];
}

/** Why and until when a run waits by itself: `Waits until 14:03: the provider is overloaded`; null if it does not. */
export function parkedLabel(
  { parked = null, state }: Pick<Run, 'state' | 'parked'>,
  local: (iso: string) => string,
): string | null {
  if (parked === null || isSettled(state)) return null;
  // The time is only a limit: the run continues when the freeze is lifted.
  if (parked.code === 'village_frozen') return 'Waits for the end of the freeze';
  return `Waits until ${local(parked.until)}: ${modelFailure(parked.code)?.cause ?? 'the model does not answer'}`;
}

/** The duration of a run; for a run that has not started, the time that it has waited. */
export function runLength(
  { created_at: created, started_at: started, ended_at: ended }: Pick<Run, 'created_at' | 'started_at' | 'ended_at'>,
  nowMs: number,
): string {
  const endMs = ended === null ? nowMs : Date.parse(ended);
  if (started === null) return ended === null ? `waits ${lengthLabel(endMs - Date.parse(created))}` : 'never started';
  return lengthLabel(endMs - Date.parse(started));
}

type Giver = Run['created_by'] & { readonly name?: string | undefined };

/** Names the person or schedule that gave a run to its agent: `from you`, `from Mia`, `schedule morning`. */
export function originLabel(
  { schedule, created_by: by, worker }: Pick<Run, 'schedule' | 'worker'> & { readonly created_by: Giver },
  viewer: ViewerId,
): string {
  if (worker !== undefined) return worker.role === '' ? 'worker' : `worker “${worker.role}”`;
  if (schedule !== null) return `schedule ${schedule.name}`;
  return `from ${isOwn(by.id, viewer) || by.name === undefined ? actorLabel(by.id, by.role, viewer) : by.name}`;
}

/** The work that a worker is for: `The worker “tester”`, or the stage of a workflow with its turns: `The agent critic, for the stage draft (round 2)`. */
export function workerLabel({ role, stage }: Pick<NonNullable<Run['worker']>, 'role' | 'stage'>): string {
  if (stage === undefined) return role === '' ? 'A worker' : `The worker “${role}”`;
  const turns = [stage.round > 1 ? `round ${stage.round}` : '', stage.attempt > 1 ? `try ${stage.attempt}` : ''];
  const shown = turns.filter((turn) => turn !== '').join(', ');
  return `The agent ${stage.agent}, for the stage ${stage.stage}${shown === '' ? '' : ` (${shown})`}`;
}

type ListedRun = Readonly<{ run: Run; isUnder: boolean }>;

/** The runs of a list with each worker below its parent; a worker whose parent is not listed keeps its place. */
export function underParents(runs: readonly Run[]): readonly ListedRun[] {
  const listed = new Set(runs.map(({ run_id: id }) => id));
  const isUnder = ({ worker }: Run): boolean => worker !== undefined && listed.has(worker.parent_run_id);
  const workers = Map.groupBy(runs.filter(isUnder), ({ worker }) => worker?.parent_run_id);
  const withWorkers = (run: Run): readonly ListedRun[] => [
    { run, isUnder: isUnder(run) },
    ...(workers.get(run.run_id) ?? []).toReversed().flatMap(withWorkers),
  ];
  return runs.filter((run) => !isUnder(run)).flatMap(withWorkers);
}

type Read = (key: string) => string;

function after(word: string, value: string): string {
  return value === '' ? word : `${word}: ${value}`;
}

/** Empty for a question, because the words before it name it already. */
const toolWord = (tool: string): string => (tool === '' || tool === 'ask_human' ? '' : toolLabel(tool).word);

/** The last words of a run without the reason of its end, which the page shows above them; null without words. */
export function lastWordsOf({ summary, error }: Pick<Run, 'summary' | 'error'>): string | null {
  if (summary === null || error === null || !summary.startsWith(error.message)) return summary;
  return summary.slice(error.message.length).trim() || null;
}

/** The events outside of calls and answers, which have their own lines. */
export type NoteEvent = Exclude<
  RunEvent['event'],
  (typeof CALL_EVENT_KINDS)[number] | (typeof MODEL_EVENT_KINDS)[number]
>;

const BUDGET_WARNINGS: Readonly<Record<string, string | undefined>> = {
  budget_steps: 'Most of its steps are used',
  budget_tokens: 'Most of its tokens are used',
  budget_money: 'Most of its money is used',
  budget_time: 'Most of its time is used',
  no_progress: 'Repeats itself: asked to try another way',
};

const STAGE_ENDS: Readonly<Record<string, string | undefined>> = {
  done: 'Stage done',
  again: 'Stage sent back',
  failed: 'Stage failed',
  skipped: 'Stage skipped',
  stopped: 'Stage stopped',
};

/** A start in words, with the mind that works from then on. */
function startLabel(word: string, detail: object): string {
  const mind = mindIn(detail);
  return mind === null ? word : `${word} with ${mindLabel(mind)}`;
}

const EVENT_LABELS: Readonly<Record<NoteEvent, (text: Read, detail: object) => string>> = {
  queued: () => 'Queued',
  started: (_, detail) => startLabel('Started', detail),
  redelivered: (_, detail) => startLabel('Continued', detail),
  step: (text) => after(text('outcome') === 'failed' ? 'Failed step' : 'Step', text('text')),
  cancel_requested: (text) => after('Asked to end', text('reason')),
  lapsed: () => 'Queued again: the agent stopped responding',
  settled: (text) => after('Ended', text('state')),
  permission_asked: (text) => after('Asked a person', toolWord(text('tool'))),
  permission_answered: (text) =>
    text('state') === 'withdrawn' ? 'Request withdrawn' : after('A person answered', text('answer')),
  permission_expired: (text) => after('No person answered in time', toolWord(text('tool'))),
  waiting: () => 'Waits for a person; the agent is free for other work meanwhile',
  budget_warned: (text) => BUDGET_WARNINGS[text('code')] ?? after('Near a limit', text('code')),
  budget_raised: () => 'A person raised its limits',
  interrupted: () => 'Interrupted: the pod ended; the run continues later',
  stage_begun: (text) => after('Stage begun', text('stage')),
  stage_ended: (text) => after(STAGE_ENDS[text('end')] ?? 'Stage ended', text('stage')),
};

/** The text of an event. Assumes nothing about the detail, because a newer village may have sent it. */
export function eventLabel({ event, detail }: { readonly event: NoteEvent; readonly detail: object }): string {
  const values = new Map<string, unknown>(Object.entries(detail));
  return EVENT_LABELS[event]((key) => {
    const value = values.get(key);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }, detail);
}

/** True if the viewer may end a run: an admin may end any run, a member only their own. */
export function mayCancel(
  run: Pick<Run, 'state' | 'created_by' | 'cancel_requested_at'>,
  viewer: { readonly role: string; readonly id: ViewerId },
): boolean {
  if (isSettled(run.state) || run.cancel_requested_at !== null) return false;
  return viewer.role === 'admin' || (viewer.role === 'member' && isOwn(run.created_by.id, viewer.id));
}

/** True if the viewer may raise the limits of a run, which has them from its first start. A worker has a share of its parent's. */
export function mayRaise(
  run: Pick<Run, 'state' | 'created_by' | 'cancel_requested_at' | 'budgets' | 'worker'>,
  viewer: { readonly role: string; readonly id: ViewerId },
): boolean {
  return run.budgets !== null && run.worker === undefined && mayCancel(run, viewer);
}

/** True if the viewer may continue the work of a run that ended at a limit. A worker's parent has its report. */
export function mayContinue(
  run: Pick<Run, 'error' | 'created_by' | 'worker' | 'veiled'>,
  viewer: { readonly role: string; readonly id: ViewerId },
): boolean {
  if (!endedAtLimit(run.error) || run.worker !== undefined || run.veiled === true) return false;
  return viewer.role === 'admin' || (viewer.role === 'member' && isOwn(run.created_by.id, viewer.id));
}

/** Words for repairs whose names are unclear; the other names are shown as they are: `commas_removed`. */
const REPAIRS: Readonly<Record<string, string | undefined>> = {
  removed_thoughts: 'thoughts removed',
  taken_from_text: 'taken out of a text',
  taken_from_fence: 'taken out of a code block',
  decoded_text: 'unpacked from a text',
  unescaped: 'backslashes removed',
  decoded_entities: 'HTML entities replaced',
  text_to_number: 'a text read as a number',
  number_to_text: 'a number read as a text',
  text_to_boolean: 'a text read as true or false',
  boolean_to_text: 'true or false read as a text',
  text_to_null: 'a text read as null',
  text_to_list: 'a text read as a list',
  text_to_object: 'a text read as an object',
  wrapped_in_list: 'a value put into a list',
  key_renamed: 'a field renamed',
  null_dropped: 'null left out',
  case_changed: 'upper and lower case changed',
  default_added: 'a default filled in',
};

/** The repairs of the arguments of a call in words: `Repaired the arguments of “Run a command”: commas removed`. */
export const repairLabel = (tool: string, actions: readonly string[]): string =>
  `Repaired the arguments of “${toolLabel(tool).word}”: ${repairsInWords(actions)}`;

const repairsInWords = (actions: readonly string[]): string =>
  actions.map((action) => REPAIRS[action] ?? action.replaceAll('_', ' ')).join(', ');

/** How an answer fits the output schema of its run; null if it fits as it was written. */
export function outputLabel({ code, actions }: NonNullable<ModelItem['output']>): string | null {
  if (code !== null) return `This answer does not fit the output schema (${code})`;
  return actions.length === 0 ? null : `Repaired the answer: ${repairsInWords(actions)}`;
}

/** False for the step with which a run hands its prompt to a program, because the line of the call says the same. */
export const isShownAnswer = ({ model, text, code, thoughts }: ModelItem): boolean =>
  model === null || !runtimeFacts(model).isOneCall || text !== null || code !== null || thoughts !== null;

/** Null for a program, whose answers name its runtime. */
export const ownModel = ({ model }: ModelItem): string | null =>
  model === null || runtimeFacts(model).isOneCall ? null : model;

/** An answer of the model: `Answer of small-model · 1,204 tokens · 0.02 ai$`. */
export function modelLabel(item: ModelItem): string {
  const { state, attempt, tokens, cost, code } = item;
  const model = ownModel(item);
  const of = model === null ? '' : ` of ${model}`;
  const words: Readonly<Record<ModelItem['state'], string>> = {
    asked: model === null ? 'The model answers…' : `${model} answers…`,
    answered: `Answer${of}`,
    failed: `The answer${of} failed`,
    left: `The answer${of} was not finished`,
  };
  const parts = [
    words[state],
    code === null ? '' : failureCause(code),
    attempt > 1 ? `attempt ${attempt}` : '',
    tokens === null || tokens === 0 ? '' : tokensLabel(tokens),
    cost === null || tokens === 0 ? '' : moneyLabel(cost),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

const tokensLabel = (tokens: number): string => (tokens === 1 ? '1 token' : `${tokens.toLocaleString('en')} tokens`);

/** The label for text of runtimes without a language model. */
export function scriptedLabel(runtime: string | null): Readonly<{ word: string; hint: string }> | null {
  return runtime !== null && runtimeFacts(runtime).isScripted
    ? { word: 'scripted', hint: 'Rules of the village chose these words: this agent has no language model' }
    : null;
}

/** A notice about the stream; null while it is live. */
export function streamLabel(stream: StreamState): string | null {
  if (stream.kind === 'reconnecting') return 'The connection was lost. Trying again; nothing is lost.';
  return stream.kind === 'refused' ? refusalText(stream.refused) : null;
}
