import { type Permission, PROGRAM_WORDS, programClaimOf, type RunEvent, wordsAfter } from '@hamlet/contract';
import type { RunTrace } from './run-trace.ts';

/** One call of a tool. `waiting`: a person is asked. `unknown`: it may have happened. `left`: the run ended before it did. */
export type CallState = 'running' | 'waiting' | 'done' | 'failed' | 'denied' | 'unknown' | 'left';

export interface CallItem {
  readonly kind: 'call';
  readonly key: string;
  readonly at: string;
  readonly endedAt: string | null;
  readonly callId: string;
  readonly tool: string;
  readonly effect: string | null;
  /** Null if the API no longer has the text. */
  readonly argumentsText: string | null;
  readonly state: CallState;
  /** The engine's name of the outcome, for example `timed_out`; null while there is none. */
  readonly outcome: string | null;
  readonly resultText: string | null;
  /** Exit code of its program; null after a signal, undefined without a program or before its end. */
  readonly exit?: number | null | undefined;
  /** True if the API saw the call itself; otherwise the agent's pod claims it. */
  readonly witnessed: boolean;
  readonly permissions: readonly Permission[];
}

export interface ModelItem {
  readonly kind: 'model';
  readonly key: string;
  readonly at: string;
  readonly ask: number;
  readonly attempt: number;
  readonly state: 'asked' | 'answered' | 'failed' | 'left';
  readonly model: string | null;
  readonly tokens: number | null;
  readonly cost: string | null;
  readonly code: string | null;
  readonly text: string | null;
  /** Thoughts before the answer; null if the model shows none. */
  readonly thoughts: string | null;
  /** Calls whose arguments the engine repaired. */
  readonly repairs: readonly NonNullable<ModelEvent['detail']['repairs']>[number][];
  /** How the answer fits the output schema of the run; null without one. */
  readonly output: NonNullable<ModelEvent['detail']['output']> | null;
}

/** Words of a program before a call. */
export interface SaidItem {
  readonly kind: 'said';
  readonly key: string;
  readonly at: string;
  readonly text: string;
}

interface NoteItem {
  readonly kind: 'note';
  readonly key: string;
  readonly at: string;
  readonly event: Exclude<RunEvent, ModelEvent | CallEvent>;
}

export type TraceItem = CallItem | ModelItem | SaidItem | NoteItem;

type ModelEvent = Extract<RunEvent, { event: 'model_asked' | 'model_answered' | 'model_failed' }>;
type CallEvent = Extract<RunEvent, { event: 'call_begun' | 'call_settled' | 'call_unknown' }>;

/** The answers of the model, the words and calls of a program, the calls and the other events of a run, each once, in the order in which they began. */
export function traceItems(trace: RunTrace, permissions: Iterable<Permission>): readonly TraceItem[] {
  const asked = Map.groupBy(permissions, (permission) => permission.call_id);
  const items = new Map<string, TraceItem>();
  for (const event of trace.events) {
    const item = itemAfter(items, event, trace.said);
    items.set(item.key, item);
  }
  for (const [callId, [first]] of asked)
    if (first !== undefined && !items.has(`call ${callId}`)) items.set(`call ${callId}`, callOfPermission(first));
  const isOver = trace.events.some(({ event }) => event === 'settled');
  const inOrder = [...items.values()].toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at));
  return inOrder.map((item) =>
    item.kind === 'call' ? withPermissions(item, asked.get(item.callId) ?? [], isOver) : ended(item, isOver),
  );
}

function itemAfter(items: ReadonlyMap<string, TraceItem>, event: RunEvent, said: RunTrace['said']): TraceItem {
  if (isCallEvent(event)) {
    const text = programWordsOf(event);
    if (text !== null) return { kind: 'said', key: `call ${event.detail.call_id}`, at: event.at, text };
    const known = items.get(`call ${event.detail.call_id}`);
    return callAfter(known?.kind === 'call' ? known : null, event);
  }
  if (isModelEvent(event)) {
    const known = items.get(modelKey(event.detail));
    return modelAfter(known?.kind === 'model' ? known : null, event, said);
  }
  return { kind: 'note', key: `event ${event.number}`, at: event.at, event };
}

/** The words of a program that stand between its calls, in order. */
export const saidIn = (items: readonly TraceItem[]): readonly string[] =>
  items.flatMap((item) => (item.kind === 'said' ? [item.text] : []));

/** An answer without the words that stand between the calls already; the whole answer if it does not begin with them. */
export const withoutSaid = (answer: string, said: readonly string[]): string =>
  said.length === 0 ? answer : (wordsAfter(answer, said) ?? answer);

/** The words that are being written, without those that the items have already; null if there are none. */
export function newWords({ partial }: Pick<RunTrace, 'partial'>, items: readonly TraceItem[]): string | null {
  if (partial === null) return null;
  const said = saidIn(items);
  // A reader who came later lacks the words before the first ones that arrived.
  const rest = said.length === 0 ? null : (wordsAfter(partial.text, said) ?? wordsAfter(partial.text, said.slice(-1)));
  return (rest ?? partial.text) || null;
}

/** The words of a program in an event; null for any other event, and for words that were deleted or may not be read. */
function programWordsOf(event: RunEvent): string | null {
  if (!isCallEvent(event) || event.detail.tool !== PROGRAM_WORDS) return null;
  return programClaimOf(event.detail)?.output ?? null;
}

function isCallEvent(event: RunEvent): event is CallEvent {
  return event.event === 'call_begun' || event.event === 'call_settled' || event.event === 'call_unknown';
}

function isModelEvent(event: RunEvent): event is ModelEvent {
  return event.event === 'model_asked' || event.event === 'model_answered' || event.event === 'model_failed';
}

const modelKey = ({ ask, attempt }: ModelEvent['detail']): string => `model ${ask} ${attempt}`;

const NEW_CALL = {
  endedAt: null,
  tool: 'a tool',
  effect: null,
  argumentsText: null,
  outcome: null,
  resultText: null,
  exit: undefined,
};

function callAfter(before: CallItem | null, { event, at, detail, witnessed }: CallEvent): CallItem {
  const isEnd = event === 'call_settled';
  const known = before ?? { ...NEW_CALL, at, witnessed };
  return {
    kind: 'call',
    key: `call ${detail.call_id}`,
    at: known.at,
    endedAt: isEnd ? at : known.endedAt,
    callId: detail.call_id,
    tool: detail.tool ?? known.tool,
    effect: detail.effect ?? known.effect,
    argumentsText: detail.arguments_text ?? known.argumentsText,
    state: callStateAfter(before, event, detail.outcome),
    outcome: detail.outcome ?? known.outcome,
    resultText: detail.result_text ?? known.resultText,
    exit: detail.exit === undefined ? known.exit : detail.exit,
    witnessed: isEnd ? witnessed : known.witnessed,
    permissions: [],
  };
}

function callStateAfter(before: CallItem | null, event: CallEvent['event'], outcome: string | null): CallState {
  if (event === 'call_settled') return stateOf(outcome);
  return event === 'call_unknown' ? 'unknown' : stays(before);
}

/** A settled call stays settled; a new attempt of an unknown one runs again. */
function stays(known: CallItem | null): CallState {
  return known === null || known.state === 'unknown' ? 'running' : known.state;
}

const OUTCOME_STATES: Readonly<Record<string, CallState | undefined>> = {
  ok: 'done',
  done: 'done',
  denied: 'denied',
  unknown: 'unknown',
};

function stateOf(outcome: string | null): CallState {
  return outcome === null ? 'done' : (OUTCOME_STATES[outcome] ?? 'failed');
}

function callOfPermission(permission: Permission): CallItem {
  return {
    kind: 'call',
    key: `call ${permission.call_id}`,
    at: permission.asked_at,
    endedAt: null,
    callId: permission.call_id,
    tool: permission.tool,
    effect: null,
    argumentsText: permission.arguments,
    state: 'running',
    outcome: null,
    resultText: null,
    witnessed: true,
    permissions: [],
  };
}

/** The outcome of a call without an event: a write in the broker that was not allowed. */
const UNUSED: Readonly<Partial<Record<Permission['state'], CallState>>> = {
  withdrawn: 'left',
  denied: 'denied',
  expired: 'denied',
};

/** The state of a call by its permission requests; undefined if only its events decide. */
function openState({ state, effect }: CallItem, asked: readonly Permission[]): CallState | undefined {
  if (state !== 'running' && state !== 'unknown') return undefined;
  if (asked.some((permission) => permission.state === 'pending')) return 'waiting';
  const newest = asked.at(-1);
  return newest === undefined || state === 'unknown' || effect !== null ? undefined : UNUSED[newest.state];
}

function withPermissions(call: CallItem, permissions: readonly Permission[], isOver: boolean): CallItem {
  const sorted = permissions.toSorted((left, right) => left.asked_at.localeCompare(right.asked_at));
  const state = openState(call, sorted) ?? (isOver && call.state === 'running' ? 'left' : call.state);
  return { ...call, permissions: sorted, state, argumentsText: call.argumentsText ?? sorted[0]?.arguments ?? null };
}

const NEW_ANSWER = {
  model: null,
  tokens: null,
  cost: null,
  code: null,
  text: null,
  thoughts: null,
  repairs: [],
  output: null,
  state: 'asked',
} as const;
const ENDS = { model_asked: null, model_answered: 'answered', model_failed: 'failed' } as const;

const newest = <T>(given: T | null | undefined, known: T): T => given ?? known;

function modelAfter(before: ModelItem | null, event: ModelEvent, said: RunTrace['said']): ModelItem {
  const { at, detail } = event;
  const known = before ?? { ...NEW_ANSWER, at };
  return {
    kind: 'model',
    key: modelKey(detail),
    at: known.at,
    ask: detail.ask,
    attempt: detail.attempt,
    state: ENDS[event.event] ?? known.state,
    model: newest(detail.model, known.model),
    tokens: newest(detail.usage?.total, known.tokens),
    cost: newest(detail.cost, known.cost),
    code: newest(detail.code, known.code),
    text: wordsOf(event, said) ?? known.text,
    thoughts: newest(detail.thoughts, known.thoughts),
    repairs: newest(detail.repairs, known.repairs),
    output: newest(detail.output, known.output),
  };
}

function wordsOf({ event, detail }: ModelEvent, said: RunTrace['said']): string | null {
  return detail.text ?? (event === 'model_answered' ? (said.get(detail.ask) ?? null) : null);
}

function ended<T extends ModelItem | SaidItem | NoteItem>(item: T, isOver: boolean): T {
  return item.kind === 'model' && item.state === 'asked' && isOver ? { ...item, state: 'left' } : item;
}

/** The steps of a run so far, counted from its events until the run itself reports them. */
export function stepsSoFar(items: readonly TraceItem[]): number {
  return items.filter((item) => item.kind === 'model' && item.state === 'answered').length;
}
