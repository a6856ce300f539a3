import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { getAgent, listAgents } from '@hamlet/contract';
import { agentDetail } from './agent-detail.fixture.ts';
import type { Caller, Reply } from '../api.ts';
import { apiThat, AWAY, UNREACHABLE } from '../api.fixture.ts';
import { INITIAL_STATE } from '../app-state.ts';
import { createStore } from '../store.ts';
import { LiveSource } from '../world/live-source.ts';
import type { WorldEvent } from '../world/world-events.ts';
import { adasMorning } from '../world/recording.fixture.ts';
import { Agents } from './agents.ts';

/** A village whose API gives these answers. Routes without an answer are unreachable. */
function started(
  context: TestContext,
  answers: Record<string, Reply<unknown>>,
): {
  readonly agents: Agents;
  readonly store: ReturnType<typeof createStore<typeof INITIAL_STATE>>;
  readonly answers: Record<string, Reply<unknown>>;
} {
  // The page counts as visible in these tests.
  Object.defineProperty(globalThis, 'document', { configurable: true, value: { hidden: false } });
  const store = createStore(INITIAL_STATE);
  const api = apiThat((name) => answers[name] ?? AWAY);
  const agents = new Agents({ api, store, world: new LiveSource(api, store), isHinted: () => false });
  context.after(() => {
    agents.stop();
    Reflect.deleteProperty(globalThis, 'document');
  });
  return { agents, store, answers };
}
const listed = (...ids: readonly string[]): Reply<unknown> => ({
  ok: true,
  data: { agents: ids.map((id) => agentDetail(id)) },
});

test('agents are listed even if the world cannot be loaded', async (context) => {
  const { agents, store } = started(context, { [listAgents.name]: listed('bob', 'ada') });
  agents.start();
  await agents.ready;
  const { rows, agents: read } = store.get();
  assert.deepEqual([rows.map(({ name }) => name), read], [['Ada', 'Bob'], { read: true, refused: null }]);
});

test('feed, rows and clock follow the world', async (context) => {
  const { store } = started(context, {});
  const { world, until } = adasMorning();
  let emit: (events: readonly WorldEvent[]) => void = () => undefined;
  const source = Object.assign(new LiveSource(UNREACHABLE, store), {
    moment: () => world.at(175),
    goals: () => world.goals(),
    subscribe: (listener: typeof emit) => {
      emit = listener;
      return () => undefined;
    },
  });
  const agents = new Agents({ api: apiThat(() => listed('ada')), store, world: source, isHinted: () => false });
  context.after(() => {
    agents.stop();
    Reflect.deleteProperty(globalThis, 'document');
  });
  agents.start();
  const cafe = { id: 'cafe', name: 'Café', kind: 'cafe', x: 7, y: 0, slots: [{ x: 8, y: 0 }] };
  store.set((state) => ({ ...state, landmarks: [cafe] }));
  emit(until(185));
  await agents.refreshAll();
  const { feed, rows, clock } = store.get();
  assert.deepEqual(
    feed.map(({ name, text }) => `${name} ${text}`),
    ['Ada fell asleep', 'Ada took an apple', 'Ada “Hello”', 'Ada is drinking coffee at Café', 'Ada is walking to Café'],
  );
  assert.deepEqual([rows[0]?.place, rows[0]?.carried, clock?.day, clock?.minute], ['Café', ['apple'], 0, 370]);
});

test('known agents stay after a refusal, which is stored with them', async (context) => {
  const { agents, store, answers } = started(context, { [listAgents.name]: listed('ada') });
  await agents.refreshAll();
  answers[listAgents.name] = AWAY;
  await agents.refreshAll();
  assert.deepEqual(
    [store.get().details.size, store.get().rows.length, store.get().agents],
    [1, 1, { read: true, refused: AWAY.refused }],
  );
});

test('the list does not count as empty before the first answer', async (context) => {
  const { agents, store } = started(context, {});
  await agents.refreshAll();
  assert.deepEqual(store.get().agents, { read: false, refused: AWAY.refused });
});

test('the list omits personas, and known personas stay', async (context) => {
  const persona = { identity: 'a baker', personality: '', instructions: '' };
  const { agents, store, answers } = started(context, {
    [listAgents.name]: { ok: true, data: { agents: [agentDetail('ada', { persona: null })] } },
    [getAgent.name]: { ok: true, data: agentDetail('ada', { persona }) },
  });
  await agents.refreshAll();
  await agents.refresh('ada');
  const read = store.get().details.get('ada');
  await agents.refreshAll();
  assert.equal(store.get().details.get('ada'), read);
  answers[listAgents.name] = { ok: true, data: { agents: [agentDetail('ada', { persona: null, balance: '8' })] } };
  await agents.refreshAll();
  assert.deepEqual([store.get().details.get('ada')?.persona, store.get().details.get('ada')?.balance], [persona, '8']);
});

test('an unchanged agent stays the same object; a deleted one is no longer selected', async (context) => {
  const { agents, store, answers } = started(context, { [listAgents.name]: listed('ada', 'bob') });
  await agents.refreshAll();
  const ada = store.get().details.get('ada');
  store.set((state) => ({ ...state, selected: 'bob' }));
  answers[listAgents.name] = listed('ada');
  await agents.refreshAll();
  assert.equal(store.get().details.get('ada'), ada);
  assert.equal(store.get().selected, null);
  answers[getAgent.name] = { ok: true, data: agentDetail('ada', { balance: '7' }) };
  assert.equal((await agents.refresh('ada'))?.balance, '7');
  assert.equal(store.get().details.get('ada')?.balance, '7');
});

test('a slow answer is not asked for again: six requests would fill the connections of a browser', async (context) => {
  const { store } = started(context, {});
  context.mock.timers.enable({ apis: ['setInterval'] });
  const waiting: ((reply: Reply<unknown>) => void)[] = [];
  const call = (): Promise<Reply<unknown>> => new Promise((answer) => waiting.push(answer));
  const agents = new Agents({
    api: { call: call as Caller['call'] },
    store,
    world: new LiveSource(UNREACHABLE, store),
    isHinted: () => false,
  });
  context.after(() => agents.stop());
  agents.start();
  context.mock.timers.tick(30_000);
  assert.equal(waiting.length, 1);
  waiting[0]?.(AWAY);
  await agents.ready;
  context.mock.timers.tick(4_000);
  assert.equal(waiting.length, 2);
});

test('while hints arrive, the list is read after one, and otherwise every 32 s', async (context) => {
  const asked: string[] = [];
  const { store } = started(context, {});
  context.mock.timers.enable({ apis: ['setInterval'] });
  const api = apiThat((name) => {
    asked.push(name);
    return listed('ada');
  });
  const agents = new Agents({ api, store, world: new LiveSource(UNREACHABLE, store), isHinted: () => true });
  context.after(() => agents.stop());
  agents.start();
  await agents.ready;
  context.mock.timers.tick(28_000);
  assert.equal(asked.length, 1);
  context.mock.timers.tick(4_000);
  assert.equal(asked.length, 2);
  await settled();
  agents.hinted();
  assert.equal(asked.length, 3);
});
