import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppState, INITIAL_STATE } from '../app-state.ts';
import { createStore, type Store } from '../store.ts';
import { adasMorning } from './recording.fixture.ts';
import { RecordedSource } from './recorded-source.ts';
import type { WorldEvent } from './world-events.ts';

async function opened(t: number | null = null): Promise<{
  readonly store: Store<AppState>;
  readonly source: RecordedSource;
  readonly events: WorldEvent[];
  ada(tick: number): unknown;
}> {
  const store = createStore<AppState>({ ...INITIAL_STATE, t });
  const source = new RecordedSource(adasMorning(), store);
  const events: WorldEvent[] = [];
  source.subscribe((found) => events.push(...found));
  await source.load();
  const ada = (tick: number): unknown => {
    store.set((state) => ({ ...state, t: tick }));
    const [agent] = source.moment()?.agents ?? [];
    return agent === undefined ? undefined : [agent.x, agent.moving, agent.activity, agent.speech?.text ?? null];
  };
  return { store, source, events, ada };
}

test('a recording is drawn at the tick of the store, or at its beginning if there is none', async () => {
  const { store, source, ada } = await opened();
  assert.equal(store.get().t, 100);
  assert.equal(source.moment()?.tick, 100);
  assert.deepEqual(ada(100), [0, false, 'idle', null]);
  assert.deepEqual(ada(112), [0.5, true, 'walking', null]);
  assert.deepEqual(ada(200), [8, false, 'sleeping', 'Hello']);
});

test('going back draws the same state as on the way forward', async () => {
  const { ada } = await opened(100);
  const there = [105, 118.5, 126, 155, 165].map(ada);
  ada(190);
  assert.deepEqual([105, 118.5, 126, 155, 165].map(ada), there);
  assert.deepEqual([165, 155, 126, 118.5, 105].map(ada), there.toReversed());
});

test('events are emitted once, only on the way forward', async () => {
  const { ada, events } = await opened();
  const kinds = (): string[] => events.map(({ kind, tick }) => `${kind} ${tick}`);
  ada(120);
  assert.deepEqual(kinds(), ['walk 105'], 'a path that arrives twice is one walk');
  ada(300);
  const all = ['walk 105', 'activity 150', 'speech 160', 'item 170', 'power 180'];
  assert.deepEqual(kinds(), all);
  ada(100);
  assert.deepEqual(kinds(), all, 'going back is no event');
});

test('a stopped recording stays where it was', async () => {
  const { source, ada } = await opened();
  source.stop();
  assert.deepEqual(ada(200), [8, false, 'idle', null], 'the walk was known; coffee and speech are not applied');
});
