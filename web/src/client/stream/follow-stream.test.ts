import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from '../api.ts';
import { refusal } from '../api.fixture.ts';
import { followStream, type StreamListener, type StreamState } from './follow-stream.ts';

type Event = { readonly id: string | null };
type Script = (on: StreamListener<Event>) => Reply<null>;

const ENDED: Reply<null> = { ok: true, data: null };

/** Follows a server that answers each opening with the next script; the last one ends the subject. */
async function followed(...scripts: Script[]): Promise<{
  readonly cursors: (string | null)[];
  readonly states: StreamState['kind'][];
  readonly waits: number[];
}> {
  const cursors: (string | null)[] = [];
  const states: StreamState['kind'][] = [];
  const waits: number[] = [];
  await followStream<Event>(
    {
      open: (cursor, on) => {
        cursors.push(cursor);
        return Promise.resolve(scripts.shift()?.(on) ?? ENDED);
      },
      isOver: () => scripts.length === 0,
      onEvent: () => undefined,
      onState: ({ kind }) => states.push(kind),
    },
    {
      signal: new AbortController().signal,
      chance: () => 0,
      wait: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
    },
  );
  return { cursors, states, waits };
}

const sends =
  (...ids: (string | null)[]): Script =>
  (on) => {
    on.onBytes();
    for (const id of ids) on.onEvent({ id });
    return refusal('unreachable', 0);
  };

test('a lost stream continues after the last event that had an id', async () => {
  const { cursors, states } = await followed(sends('1', '2', null), sends(), () => ENDED);
  assert.deepEqual(cursors, [null, '2', '2']);
  assert.deepEqual(states, ['connecting', 'live', 'reconnecting', 'live', 'reconnecting', 'ended']);
});

test('the wait grows while no events arrive, and is reset by a new event', async () => {
  const lost: Script = () => refusal('unreachable', 0);
  const { waits } = await followed(lost, lost, lost, sends('1'), lost, () => ENDED);
  assert.deepEqual(waits, [250, 500, 1000, 250, 500]);
});

test('a final refusal ends the stream; a temporary one does not', async () => {
  const busy: Script = () => refusal('rate_limited', 429);
  const { states } = await followed(busy, () => refusal('forbidden', 403), sends());
  assert.deepEqual(states, ['connecting', 'reconnecting', 'refused']);
});

test('a cursor that the API no longer knows is dropped', async () => {
  const { cursors } = await followed(
    sends('7'),
    () => refusal('cursor_invalid', 400),
    () => ENDED,
  );
  assert.deepEqual(cursors, [null, '7', null]);
});

test('an aborted follower stops without a further state change', async () => {
  const leaving = new AbortController();
  const states: string[] = [];
  await followStream<Event>(
    {
      open: () => {
        leaving.abort();
        return Promise.resolve(ENDED);
      },
      isOver: () => true,
      onEvent: () => undefined,
      onState: ({ kind }) => states.push(kind),
    },
    { signal: leaving.signal },
  );
  assert.deepEqual(states, ['connecting']);
});

test('a stream that only repeats an event or its opening is requested less and less often', async () => {
  const { waits } = await followed(sends('1'), sends('1'), sends(), sends('1'), () => ENDED);
  assert.deepEqual(waits, [250, 500, 1000, 2000]);
});

test('a steady connection without events resets the wait', async () => {
  const steady: Script = (on) => {
    for (let sign = 0; sign < 4; sign += 1) on.onBytes();
    return refusal('unreachable', 0);
  };
  const { waits } = await followed(sends(), sends(), steady, () => ENDED);
  assert.deepEqual(waits, [250, 500, 250]);
});
