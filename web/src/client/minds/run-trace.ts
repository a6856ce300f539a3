import type { Run, RunDelta, RunEvent } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';

/** The text of an answer that the model is writing. `broken`: deltas were lost, so the text has a gap. */
type PartialWords = Readonly<{ ask: number; attempt: number; text: string; broken: boolean }>;

/** One run as its stream describes it. The events are in order, each once. */
export interface RunTrace {
  readonly run: Run | null;
  readonly events: readonly RunEvent[];
  readonly partial: PartialWords | null;
  /** Words of finished answers whose event has no text, by the number of the answer. A reload loses them. */
  readonly said: ReadonlyMap<number, string>;
}

export const EMPTY_TRACE: RunTrace = { run: null, events: [], partial: null, said: new Map() };

/** Maximum number of events kept of one run; later ones are dropped. A run within its budgets has fewer. */
const MAX_TRACE_EVENTS = 10_000;
const MAX_PARTIAL_CHARS = 65_536;
const GAP = ' … ';

/** A run that has ended never returns to an earlier state. An equal state changes nothing. */
export function afterRun(trace: RunTrace, run: Run): RunTrace {
  if (trace.run !== null && JSON.stringify(trace.run) === JSON.stringify(run)) return trace;
  if (trace.run !== null && isSettled(trace.run.state) && !isSettled(run.state)) return trace;
  return { ...trace, run, partial: isSettled(run.state) ? null : trace.partial };
}

/** An event of the run. An event that the trace has already changes nothing. */
export function afterRunEvent(trace: RunTrace, event: RunEvent): RunTrace {
  const events = inserted(trace.events, event);
  return events === trace.events ? trace : { ...afterWords(trace, event), events };
}

function inserted(events: readonly RunEvent[], event: RunEvent): readonly RunEvent[] {
  if (events.length >= MAX_TRACE_EVENTS) return events;
  let at = events.length;
  while (at > 0 && (events[at - 1]?.number ?? 0) > event.number) at -= 1;
  if (events[at - 1]?.number === event.number) return events;
  return events.toSpliced(at, 0, event);
}

/** An event that starts or ends an answer withdraws the streaming words, or keeps them if the event has no text. */
function afterWords(trace: RunTrace, event: RunEvent): RunTrace {
  const { partial } = trace;
  if (partial === null) return trace;
  if (ENDS_WORK.has(event.event)) return { ...trace, partial: null };
  const at = placeOfEvent(event);
  if (at === null || compare(at, partial) < 0) return trace;
  if (event.event === 'model_asked') return compare(at, partial) === 0 ? trace : { ...trace, partial: null };
  if (event.event !== 'model_answered' || at.ask !== partial.ask || event.detail.text !== null)
    return { ...trace, partial: null };
  return { ...trace, partial: null, said: new Map(trace.said).set(partial.ask, partial.text) };
}

const ENDS_WORK: ReadonlySet<RunEvent['event']> = new Set<RunEvent['event']>([
  'interrupted',
  'lapsed',
  'settled',
  'waiting',
]);

/**
 * Appends a delta of the current answer. Deltas of a later attempt replace the earlier words; late deltas change
 * nothing.
 */
export function afterDelta(trace: RunTrace, delta: RunDelta): RunTrace {
  const { partial } = trace;
  if ((trace.run !== null && isSettled(trace.run.state)) || isOver(trace.events, delta)) return trace;
  const order = partial === null ? 1 : compare(delta, partial);
  if (order < 0) return trace;
  const before = order === 0 && partial !== null ? partial : { text: '', broken: false };
  const text = `${before.text}${before.broken && !before.text.endsWith(GAP) ? GAP : ''}${delta.text}`;
  const { ask, attempt } = delta;
  return { ...trace, partial: { ask, attempt, text: text.slice(0, MAX_PARTIAL_CHARS), broken: false } };
}

/** Marks a gap in the streaming words after a lost connection, because deltas are never repeated. */
export function afterLostConnection(trace: RunTrace): RunTrace {
  return trace.partial === null || trace.partial.broken
    ? trace
    : { ...trace, partial: { ...trace.partial, broken: true } };
}

type Place = Readonly<{ ask: number; attempt: number }>;

function isOver(events: readonly RunEvent[], delta: Place): boolean {
  for (let at = events.length - 1; at >= 0; at -= 1) {
    const event = events[at];
    if (event?.event === 'settled') return true;
    const place = event === undefined ? null : placeOfEvent(event);
    if (event === undefined || place === null) continue;
    const order = compare(place, delta);
    return order > 0 || (order === 0 && event.event !== 'model_asked');
  }
  return false;
}

function placeOfEvent(event: RunEvent): Place | null {
  switch (event.event) {
    case 'model_asked':
    case 'model_answered':
    case 'model_failed':
      return event.detail;
    default:
      return null;
  }
}

const compare = (left: Place, right: Place): number => left.ask - right.ask || left.attempt - right.attempt;

const LIVE_MS = 3_000;
const SETTLED_MS = 60_000;

export const runRefreshMs = ({ state }: Pick<Run, 'state'>): number => (isSettled(state) ? SETTLED_MS : LIVE_MS);
