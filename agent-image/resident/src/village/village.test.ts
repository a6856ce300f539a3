import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { untilEnd } from '@hamlet/test/env/at-end';
import { createClient, type Turn } from '@hamlet/contract';
import { aWake } from '../testing/a-village.ts';
import { startHttpApi } from '../testing/http-api.ts';
import { exchangedToken } from './agent-token.ts';
import { createHttpVillage, type Village, type WakeEvent } from './village.ts';

const api = untilEnd(await startHttpApi());
let village: Village;
let stop: AbortController;

beforeEach(() => {
  api.requests.length = 0;
  api.refuse.clear();
  stop = new AbortController();
  let exchanges = 0;
  const tokens = exchangedToken(
    async () => ({
      access_token: `token-${(exchanges += 1)}`,
      expires_at: new Date(Date.now() + 300_000).toISOString(),
    }),
    Date.now,
  );
  const client = createClient({ baseUrl: api.url, token: () => tokens.get() });
  village = createHttpVillage({ client, tokens, agentId: 'ada', stopReading: stop.signal, stopWriting: stop.signal });
});

test('a decision may take longer than any other request', async () => {
  const gate = Promise.withResolvers<void>();
  api.hold.set('world', gate.promise).set('completions', gate.promise);
  api.refuse.set('completions', 'model_busy');
  const tokens = { get: async () => 'token', renew: () => undefined };
  const patient = createHttpVillage({
    client: createClient({ baseUrl: api.url, token: () => tokens.get() }),
    tokens,
    agentId: 'ada',
    stopReading: stop.signal,
    stopWriting: stop.signal,
    timeouts: { requestMs: 50, answerMs: 60_000 },
  });
  const decided = patient.decide({ model: 'small', messages: [{ role: 'user', content: 'Where to?' }] });
  assert.equal((await patient.world()).kind, 'unreachable');
  gate.resolve();
  assert.partialDeepStrictEqual(await decided, { kind: 'refused', code: 'model_busy' });
  api.hold.clear();
});

test('requests carry the token and use the paths of the contract', async () => {
  for (const ask of [village.world, village.standing, village.config]) assert.equal((await ask()).kind, 'ok');
  assert.deepEqual(pluck(api.requests, 'method', 'path', 'bearer'), [
    ['GET', '/api/v1/world', 'Bearer token-1'],
    ['GET', '/api/v1/agents/ada', 'Bearer token-1'],
    ['GET', '/api/v1/agents/ada/config', 'Bearer token-1'],
  ]);
});

test("a turn reads the agent's surroundings and the speaking agent, not the whole village", async () => {
  api.requests.length = 0;
  assert.equal((await village.around('bob')).kind, 'ok');
  assert.equal((await village.around()).kind, 'ok');
  assert.deepEqual(pluck(api.requests, 'path'), [
    '/api/v1/world?around=ada&radius=64&with=bob',
    '/api/v1/world?around=ada&radius=64',
  ]);
});

test('writes carry an idempotency key; the id of a turn is its key', async () => {
  const turn: Turn = {
    turn_id: randomUUID(),
    cycle: 1,
    trigger: 'tick',
    perceived: {},
    decided: { why: 'x' },
    acted: {},
    reflected: {},
  };
  await village.move({ landmark_id: 'cafe' }, 'key-1');
  await village.act({ kind: 'emote', emote: 'smile' }, 'key-2');
  await village.record(turn);
  assert.deepEqual(pluck(api.requests, 'key', 'body'), [
    ['key-1', { landmark_id: 'cafe' }],
    ['key-2', { kind: 'emote', emote: 'smile' }],
    [turn.turn_id, turn],
  ]);
});

test('a refusal is returned with its code; a newer cycle gives stale; a failing API gives unreachable', async () => {
  api.refuse.set('move', 'zone_locked');
  assert.deepEqual(await village.move({ landmark_id: 'cafe' }, 'k'), {
    kind: 'refused',
    code: 'zone_locked',
    detail: await detailOf('zone_locked'),
  });
  api.refuse.set('world', 'stale_cycle');
  assert.deepEqual(await village.world(), { kind: 'stale' });
  for (const code of ['unavailable', 'internal', 'rate_limited', 'idempotency_in_flight'] as const) {
    api.refuse.set('world', code);
    assert.equal((await village.world()).kind, 'unreachable');
  }
});

test('a refused token is exchanged for a new one, once', async () => {
  api.refuse.set('world', 'token_invalid');
  assert.equal((await village.world()).kind, 'unreachable');
  assert.deepEqual(pluck(api.requests, 'bearer'), ['Bearer token-1', 'Bearer token-2']);
});

test('a closed port or a response outside the contract gives unreachable, with the cause', async () => {
  const nowhere = createHttpVillage({
    client: createClient({ baseUrl: 'http://127.0.0.1:9', token: 't' }),
    tokens: { get: async () => 't', renew: () => {} },
    agentId: 'ada',
    stopReading: stop.signal,
    stopWriting: stop.signal,
  });
  const answer = await nowhere.world();
  assert.ok(answer.kind === 'unreachable' && answer.why.length > 'fetch failed'.length);
  const odd = await createHttpVillage({
    client: createClient({ baseUrl: api.url, token: 't' }),
    tokens: { get: async () => 't', renew: () => {} },
    agentId: 'nobody',
    stopReading: stop.signal,
    stopWriting: stop.signal,
  }).standing();
  assert.equal(odd.kind, 'unreachable');
});

test('the stream resumes after a seq, delivers wakes and cycles in order, and ends with the process', async () => {
  const events: WakeEvent[] = [];
  const { promise: two, resolve } = Promise.withResolvers<void>();
  const followed = village.follow(41, (event) => {
    if (event.kind === 'open') return;
    events.push(event);
    if (events.length === 2) resolve();
  });
  const { path } = await api.asked('/wakes');
  assert.equal(path, '/api/v1/agents/ada/wakes?after=41');
  const wake = aWake('spoken_to', { from: 'bob', to: 'ada', text: 'Hello' }, 42);
  // The client may not have received the response head yet when the server has opened the stream.
  const timer = setInterval(() => {
    if (events.length === 0) api.send('wake', wake);
    else if (events.length === 1) api.send('cycle', { cycle: 2 });
  }, 10);
  await two;
  clearInterval(timer);
  assert.deepEqual(events.slice(0, 1), [{ kind: 'wake', wake }]);
  stop.abort();
  assert.equal((await followed).kind, 'unreachable');
});

test('a refused stream of an older cycle gives stale', async () => {
  api.refuse.set('wakes', 'stale_cycle');
  assert.deepEqual(await village.follow(null, () => {}), { kind: 'stale' });
});

async function detailOf(code: 'zone_locked'): Promise<string> {
  const { REFUSALS } = await import('@hamlet/contract');
  return REFUSALS[code].title;
}
