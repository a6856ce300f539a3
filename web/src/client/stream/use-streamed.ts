import { useEffect, useMemo } from 'react';
import { createStore, type Store, useStore } from '../store.ts';
import { followStream, type StreamedEvent, type StreamPort, type StreamState } from './follow-stream.ts';

/** Events that arrive within this time change the state together: words come faster than a page can be drawn. */
const BATCH_MS = 40;

/** The subject of a stream, and how its events change the state that a component shows. */
export interface StreamSubject<S, E extends StreamedEvent> {
  readonly initial: S;
  readonly open: StreamPort<E>['open'];
  /** Pure. A repeated event must change nothing. */
  reduce(state: S, event: E): S;
  /** The state after a lost connection. Pure. */
  lost(state: S): S;
  /** True if nothing more can come, so that the closed stream is complete. */
  isOver(state: S): boolean;
}

/**
 * The state of a stream. `change` applies an answer of the API, for example to a write, before the stream reports it.
 */
export type Streamed<S> = Readonly<{ state: S; stream: StreamState; change: (change: (state: S) => S) => void }>;

type Held<S> = Readonly<{ state: Store<S>; stream: Store<StreamState> }>;

/** Follows a stream while a component shows it. `subject` must stay the same object while the stream is the same. */
export function useStreamed<S, E extends StreamedEvent>(subject: StreamSubject<S, E>): Streamed<S> {
  const held = useMemo(
    (): Held<S> => ({
      state: createStore(subject.initial),
      stream: createStore<StreamState>({ kind: 'connecting' }),
    }),
    [subject],
  );
  useEffect(() => {
    const leaving = new AbortController();
    void followInto(subject, held, leaving.signal);
    return () => leaving.abort();
  }, [subject, held]);
  const state = useStore(held.state, (now) => now);
  const stream = useStore(held.stream, (now) => now);
  return { state, stream, change: held.state.set };
}

/** Follows a stream into two stores until `signal` aborts. */
async function followInto<S, E extends StreamedEvent>(
  subject: StreamSubject<S, E>,
  { state, stream }: Held<S>,
  signal: AbortSignal,
): Promise<void> {
  let waiting: E[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const events = waiting;
    waiting = [];
    if (events.length > 0 && !signal.aborted) state.set((now) => events.reduce(subject.reduce, now));
  };
  await followStream<E>(
    {
      open: subject.open,
      isOver: () => {
        flush();
        return subject.isOver(state.get());
      },
      onEvent: (event) => {
        waiting.push(event);
        timer ??= setTimeout(flush, BATCH_MS);
      },
      onState: (next) => {
        flush();
        if (next.kind === 'reconnecting') state.set(subject.lost);
        stream.set(() => next);
      },
    },
    { signal },
  );
  clearTimeout(timer);
}
