import type { Refused, Reply } from '../api.ts';
import { reconnectMs } from './backoff.ts';
import { isFinal } from '../query/use-live.ts';

/**
 * The state of a followed stream. `ended`: the API closed it because nothing more can come. `refused`: the API's final
 * answer; the page does not ask again.
 */
export type StreamState =
  | { readonly kind: 'connecting' | 'live' | 'reconnecting' | 'ended' }
  | { readonly kind: 'refused'; readonly refused: Refused };

/** A stream of the API that can be resumed after the id of any of its events. */
export interface StreamPort<E extends StreamedEvent> {
  /** Opens the stream after `cursor`; null is its beginning. Resolves when it ends. */
  open(cursor: string | null, on: StreamListener<E>): Promise<Reply<null>>;
  /** True if the subject of the stream has ended, so that a closed stream is complete. */
  isOver(): boolean;
  onEvent(event: E): void;
  onState(state: StreamState): void;
}

export type StreamedEvent = { readonly id: string | null };

export interface StreamListener<E> {
  readonly signal: AbortSignal;
  onEvent(event: E): void;
  /** Receives every sign of life of the connection, heartbeats included. */
  onBytes(): void;
}

/** Waits for `ms`. Tests pass a function that does not wait. */
type StreamWait = (ms: number, signal: AbortSignal) => Promise<void>;

const sleep: StreamWait = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly wait?: StreamWait;
  /** A random number from 0 to 1, which spreads the retries of many browsers. */
  readonly chance?: () => number;
}

/**
 * A connection that shows this many signs of life is steady, and so is one that brings a new event: its loss begins a new
 * series of retries. The first sign alone proves nothing: a page that cannot read an event receives it each time.
 */
const STEADY_SIGNS = 4;

/**
 * Follows a stream until `signal` aborts, the subject is over, or the API refuses with a final code. After a lost connection it
 * opens the stream again after the last event, with a growing wait. A cursor that the API no longer knows is dropped:
 * the stream begins again, so its events must be harmless when they are repeated.
 */
export async function followStream<E extends StreamedEvent>(
  port: StreamPort<E>,
  { signal, wait = sleep, chance = Math.random }: FollowOptions,
): Promise<void> {
  let cursor: string | null = null;
  let failures = 0;
  const enter = stateWriter(port);
  enter('connecting');
  while (!signal.aborted) {
    let signs = 0;
    const reply = await port.open(cursor, {
      signal,
      onBytes: () => {
        signs += 1;
        if (signs === STEADY_SIGNS) failures = 0;
        enter('live');
      },
      onEvent: (event) => {
        if (event.id !== null && event.id !== cursor) failures = 0;
        cursor = event.id ?? cursor;
        port.onEvent(event);
      },
    });
    if (signal.aborted) return;
    const next = nextStep(reply, cursor, port.isOver());
    if (typeof next === 'object') return port.onState(next);
    if (next === 'restart') cursor = null;
    enter('reconnecting');
    await wait(reconnectMs(failures, chance()), signal);
    failures += 1;
  }
}

type Passing = 'connecting' | 'live' | 'reconnecting';

/** Reports a state only when it changes. */
function stateWriter({ onState }: Pick<StreamPort<StreamedEvent>, 'onState'>): (next: Passing) => void {
  let state: Passing | null = null;
  return (next) => {
    if (state === next) return;
    state = next;
    onState({ kind: next });
  };
}

/** The last state of a stream that ended, or how to continue it. */
function nextStep(reply: Reply<null>, cursor: string | null, isOver: boolean): StreamState | 'again' | 'restart' {
  if (reply.ok) return isOver ? { kind: 'ended' } : 'again';
  const { refused } = reply;
  if (refused.code === 'cursor_invalid' && cursor !== null) return 'restart';
  return isFinal(refused) ? { kind: 'refused', refused } : 'again';
}
