import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../command.ts';

const PAUSE_MS = 1_000;
/** Number of consecutive streams without an event after which the command fails. */
const EMPTY_STREAMS_MAX = 30;

/**
 * Yields events and reopens the stream after each break; it never ends by itself. `open` continues after the last
 * event.
 */
export async function* persistent<T>(open: () => AsyncIterable<T>): AsyncGenerator<T> {
  for (let empty = 0; empty < EMPTY_STREAMS_MAX; empty += 1) {
    const events = open()[Symbol.asyncIterator]();
    try {
      for (let next = await nextOf(events); next !== null; next = await nextOf(events)) {
        empty = 0;
        yield next.event;
      }
    } finally {
      await events.return?.();
    }
    await sleep(PAUSE_MS);
  }
  throw new Failure(`the API's stream broke ${EMPTY_STREAMS_MAX} times: try again later`);
}

async function nextOf<T>(events: AsyncIterator<T>): Promise<{ readonly event: T } | null> {
  try {
    const { done, value } = await events.next();
    return done === true ? null : { event: value };
  } catch (error) {
    // fetch reports a lost connection as a TypeError; anything else is a refusal or a bug.
    if (error instanceof TypeError) return null;
    throw error;
  }
}
