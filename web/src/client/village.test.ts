import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { getAgent, getWorld, getWorldMap, listAgents } from '@hamlet/contract';
import { agentDetail } from './agent-detail.fixture.ts';
import type { Api, Refused, Reply } from './api.ts';
import { INITIAL_STATE } from './app-state.ts';
import { createStore } from './store.ts';
import { Village } from './village.ts';

const AWAY: Refused = { code: 'unavailable', title: 'The world is away', detail: '', status: 503, errors: [] };
const REFUSED: Reply<never> = { ok: false, refused: AWAY };

/** A village whose api answers each route so; routes that are not named are away. */
function started(
  context: TestContext,
  answers: Record<string, Reply<unknown>>,
): {
  readonly village: Village;
  readonly store: ReturnType<typeof createStore<typeof INITIAL_STATE>>;
  readonly answers: Record<string, Reply<unknown>>;
} {
  // The page is always in sight here.
  Object.defineProperty(globalThis, 'document', { configurable: true, value: { hidden: false } });
  const call = ({ name }: { readonly name: string }): Promise<Reply<unknown>> =>
    Promise.resolve(answers[name] ?? REFUSED);
  const store = createStore(INITIAL_STATE);
  const village = new Village({ call: call as Api['call'] }, store);
  context.after(() => village.stop());
  return { village, store, answers };
}
const agents = (...ids: readonly string[]): Reply<unknown> => ({
  ok: true,
  data: { agents: ids.map((id) => agentDetail(id)) },
});

test('without the world the agents are listed all the same, and the store says why there is no map', async (context) => {
  const { village, store } = started(context, { [listAgents.name]: agents('bob', 'ada') });
  village.start();
  assert.equal(await village.loadWorld(), null);
  const { loading, rows, agents: read } = store.get();
  assert.deepEqual(
    [rows.map(({ name }) => name), read, loading],
    [['Ada', 'Bob'], { read: true, refused: null }, { failed: AWAY }],
  );
});

test('a map that cannot be read is a refusal in words, not a wait for ever', async (context) => {
  const { village, store } = started(context, {
    [getWorldMap.name]: { ok: true, data: { width: 2, height: 2, terrain: '%', legend: [] } },
    [getWorld.name]: { ok: true, data: { landmarks: [], zones: [], tick: 0 } },
  });
  assert.equal(await village.loadWorld(), null);
  const { loading } = store.get();
  assert.ok(typeof loading === 'object' && loading.failed.title === 'The map cannot be read');
});

test('agents that cannot be read now stay as they were, beside the refusal: nobody is said to have gone', async (context) => {
  const { village, store, answers } = started(context, { [listAgents.name]: agents('ada') });
  await village.refreshDetails();
  answers[listAgents.name] = REFUSED;
  await village.refreshDetails();
  assert.deepEqual(
    [store.get().details.size, store.get().rows.length, store.get().agents],
    [1, 1, { read: true, refused: AWAY }],
  );
});

test('where nothing was read yet the list is not called empty', async (context) => {
  const { village, store } = started(context, {});
  await village.refreshDetails();
  assert.deepEqual(store.get().agents, { read: false, refused: AWAY });
});

test('the list comes without personas, and takes none away that is known', async (context) => {
  const persona = { identity: 'a baker', personality: '', instructions: '' };
  const { village, store, answers } = started(context, {
    [listAgents.name]: { ok: true, data: { agents: [agentDetail('ada', { persona: null })] } },
    [getAgent.name]: { ok: true, data: agentDetail('ada', { persona }) },
  });
  await village.refreshDetails();
  await village.refreshAgent('ada');
  const read = store.get().details.get('ada');
  await village.refreshDetails();
  assert.equal(store.get().details.get('ada'), read);
  answers[listAgents.name] = { ok: true, data: { agents: [agentDetail('ada', { persona: null, balance: '8' })] } };
  await village.refreshDetails();
  assert.deepEqual([store.get().details.get('ada')?.persona, store.get().details.get('ada')?.balance], [persona, '8']);
});

test('an agent that says the same is the same object; one that is gone is not selected any more', async (context) => {
  const { village, store, answers } = started(context, { [listAgents.name]: agents('ada', 'bob') });
  await village.refreshDetails();
  const ada = store.get().details.get('ada');
  store.set((state) => ({ ...state, selected: 'bob' }));
  answers[listAgents.name] = agents('ada');
  await village.refreshDetails();
  assert.equal(store.get().details.get('ada'), ada);
  assert.equal(store.get().selected, null);
  answers[getAgent.name] = { ok: true, data: agentDetail('ada', { balance: '7' }) };
  assert.equal((await village.refreshAgent('ada'))?.balance, '7');
  assert.equal(store.get().details.get('ada')?.balance, '7');
});
