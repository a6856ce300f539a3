/** Behaviour that all routes share: bodies, keys, limits, headers, and refusals of unknown routes. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { actAsAgent, getWorld, moveAgent, recordTurn, REFUSALS, type Refusal } from '@hamlet/contract';
import type { Answered } from '../handler.ts';
import { runOnce } from '../idempotent.ts';
import { accepted, refused, type Outcome } from '../outcome.ts';
import { agentToken, clientOf, eventually, TOKENS, startPlay } from '../../testing/test-village.ts';

const { village, play } = await startPlay();

function send(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
  return fetch(`${play.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${TOKENS.admin}`, 'content-type': 'application/json', ...init.headers },
  });
}

async function assertProblem(response: Response, code: Refusal): Promise<void> {
  const problem = (await response.json()) as Record<string, unknown>;
  assert.equal(problem['code'], code, JSON.stringify(problem));
  assert.equal(response.status, REFUSALS[code].status);
  assert.equal(problem['status'], response.status);
  assert.equal(problem['title'], REFUSALS[code].title);
  assert.equal(problem['type'], `/api/v1/docs#${code}`);
  assert.match(String(problem['request_id']), /^[0-9a-f-]{36}$/);
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
}

const MOVE = '/api/v1/agents/ada/move';
const key = (): Record<string, string> => ({ 'idempotency-key': randomUUID() });

test("a body that is not JSON, violates the route's schema or is too large is refused with a fix", async () => {
  await assertProblem(await send(MOVE, { method: 'POST', headers: key(), body: '{"dx":' }), 'malformed_body');
  const wrong = await send(MOVE, { method: 'POST', headers: key(), body: '{"dx":1}' });
  const problem = (await wrong.clone().json()) as { errors: { path: string }[] };
  assert.equal(problem.errors[0]?.path, 'body.dy');
  await assertProblem(wrong, 'validation_failed');
  await assertProblem(
    await send(MOVE, { method: 'POST', headers: key(), body: '{"dx":1,"dy":0,"speed":9}' }),
    'validation_failed',
  );
  await assertProblem(await send('/api/v1/agents/ada/turns?limit=1000'), 'validation_failed');
  await assertProblem(await send('/api/v1/agents/Not%20An%20Id'), 'validation_failed');
  await assertProblem(
    await send(MOVE, { method: 'POST', headers: key(), body: JSON.stringify({ dx: 'a'.repeat(300_000) }) }),
    'body_too_large',
  );
});

test('unknown routes and methods are refused with a problem', async () => {
  await assertProblem(await send('/api/v1/nowhere'), 'route_not_found');
  await assertProblem(await send('/nowhere'), 'route_not_found');
  const response = await send('/world', { method: 'POST', body: '{}' });
  assert.equal(response.headers.get('allow'), 'GET');
  await assertProblem(response, 'method_not_allowed');
});

test('invalid credentials are refused, even on a public route', async () => {
  await assertProblem(await send('/world', { headers: { authorization: 'Bearer nonsense' } }), 'token_invalid');
  await assertProblem(await send('/world', { headers: { authorization: 'Basic YTpi' } }), 'token_invalid');
  const anonymous = await fetch(`${play.url}${MOVE}`, { method: 'POST' });
  assert.equal(anonymous.headers.get('www-authenticate'), 'Bearer');
  await assertProblem(anonymous, 'unauthenticated');
});

test('a write needs a key; a retry with the key gets the same answer and no second effect; another body is refused', async () => {
  await assertProblem(await send(MOVE, { method: 'POST', body: '{"dx":1,"dy":0}' }), 'idempotency_key_missing');
  for (const path of [MOVE, '/api/v1/agents/bob/reboot']) {
    const headers = key();
    const body = path === MOVE ? '{"dx":1,"dy":0}' : undefined;
    const init = { method: 'POST', headers, ...(body === undefined ? {} : { body }) };
    const first = await send(path, init);
    const again = await send(path, init);
    assert.equal(first.status, 200);
    assert.deepEqual(await again.json(), await first.json(), path);
    assert.equal(first.headers.get('idempotency-replayed'), null);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    await assertProblem(await send(path.replace(/ada|bob/, 'cleo'), init), 'idempotency_key_reused');
  }
});

test('a refusal is also replayed for its key', async () => {
  const headers = key();
  const init = { method: 'POST', headers, body: '{"kind":"drop","item_id":"apple-999999"}' };
  await assertProblem(await send('/api/v1/agents/ada/action', init), 'not_holding');
  const again = await send('/api/v1/agents/ada/action', init);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  await assertProblem(again, 'not_holding');
});

test('a refusal with retry "later" is not stored, so a retry is decided again and that answer is stored', async () => {
  const db = village.openDb();
  const writeKey = { actor: 'key tester', key: randomUUID(), hash: Buffer.from('same') };
  const outcomes: Outcome<unknown>[] = [refused('run_queue_full'), accepted({ number: 1 }), accepted({ number: 2 })];
  const decide = (): Promise<Answered> => runOnce(db, writeKey, async () => outcomes.shift() ?? refused('internal'));
  assert.deepEqual(await decide(), { outcome: refused('run_queue_full'), replayed: false });
  assert.deepEqual(await decide(), { outcome: accepted({ number: 1 }), replayed: false });
  assert.deepEqual(await decide(), { outcome: accepted({ number: 1 }), replayed: true });
});

test('one of several concurrent requests with one key takes effect; the others get its answer or idempotency_in_flight', async () => {
  for (const route of ['world', 'transaction'] as const) {
    const idempotencyKey = randomUUID();
    const calls = Array.from({ length: 8 }, () =>
      route === 'world'
        ? play.admin.raw.actAsAgent({ agent_id: 'dan', kind: 'talk', text: 'once' }, { idempotencyKey })
        : play.admin.raw.rebootAgent({ agent_id: 'eve' }, { idempotencyKey }),
    );
    const before = await play.agent('eve');
    const outcomes = await Promise.all(calls);
    const done = outcomes.filter((outcome) => outcome.ok);
    assert.ok(done.length >= 1);
    assert.equal(new Set(done.map((outcome) => JSON.stringify(outcome.data))).size, 1, 'one effect');
    const waiting = outcomes.filter((outcome) => !outcome.ok);
    assert.ok(waiting.every((outcome) => !outcome.ok && outcome.problem.code === 'idempotency_in_flight'));
    if (route === 'transaction') assert.ok((await play.agent('eve')).cycle <= before.cycle + 1);
  }
});

test('two actors may use the same key independently', async () => {
  const idempotencyKey = randomUUID();
  const params = { agent_id: 'ada' };
  const byAdmin = await play.admin.moveAgent({ ...params, dx: 1, dy: 0 }, { idempotencyKey });
  const byAgent = await play.as('ada').moveAgent({ ...params, dx: 1, dy: 0 }, { idempotencyKey });
  assert.notEqual(byAdmin.accepted_seq, byAgent.accepted_seq);
});

test("requests above the quota of an address or of an agent's tier are refused until the window ends", async () => {
  const small = await village.startReplica({ HAMLET_RATE_LIMIT: '5' });
  const responses: Response[] = [];
  for (let count = 0; count < 6; count += 1) responses.push(await fetch(`${small.peopleUrl}/livez`));
  assert.equal(responses[0]?.headers.get('ratelimit-policy'), '"address";q=5;w=60');
  assert.match(responses[0]?.headers.get('ratelimit') ?? '', /^"address";r=4;t=60$/);
  const last = responses[5];
  assert.ok(last !== undefined);
  assert.ok(Number(last.headers.get('retry-after')) > 0);
  await assertProblem(last, 'rate_limited');
  await small.stop();
  const byTier = await fetch(`${play.url}/api/v1/world`, { headers: { authorization: `Bearer ${agentToken('ada')}` } });
  assert.match(byTier.headers.get('ratelimit-policy') ?? '', /^"tier-1";q=\d+;w=60$/);
});

test('a request for an unknown path also counts towards the quota of the address', async () => {
  const small = await village.startReplica({ HAMLET_RATE_LIMIT: '3' });
  const statuses: number[] = [];
  for (let count = 0; count < 5; count += 1) statuses.push((await fetch(`${small.peopleUrl}/nowhere/${count}`)).status);
  assert.deepEqual(statuses, [404, 404, 404, 429, 429]);
  await small.stop();
});

test('the API does not read the body of a caller without permission, and refuses a body that is nested too deeply', async () => {
  const anonymous = await fetch(`${play.url}${MOVE}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"dx":',
  });
  await assertProblem(anonymous, 'unauthenticated');
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  await assertProblem(await send(MOVE, { method: 'POST', headers: key(), body: nested }), 'validation_failed');
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1])));
  const refusal = await send(MOVE, { method: 'POST', headers: key(), body: many });
  assert.ok((await refusal.clone().text()).length < 4_000, 'a refusal does not quote the whole request');
  await assertProblem(refusal, 'validation_failed');
});

test('the map has one byte for each tile, and a legend', async () => {
  const map = await clientOf(play.url).getWorldMap();
  const terrain = Buffer.from(map.terrain, 'base64');
  assert.equal(terrain.length, map.width * map.height);
  assert.ok(terrain.every((code) => code < map.legend.length));
});

test("the API continues the caller's trace, or begins one", async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const response = await send('/world', { headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` } });
  assert.match(response.headers.get('traceparent') ?? '', new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
  assert.doesNotMatch(response.headers.get('traceparent') ?? '', /00f067aa0ba902b7/);
  assert.match(
    (await send('/world', { headers: { traceparent: 'nonsense' } })).headers.get('traceparent') ?? '',
    /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/,
  );
});

test('a route with an unversioned path in the contract also answers there', async () => {
  for (const route of [getWorld, moveAgent, actAsAgent, recordTurn]) {
    const path = route.path.replace('{agent_id}', 'ada');
    const response = await send(
      path,
      route.method === 'GET' ? {} : { method: route.method, headers: key(), body: '[]' },
    );
    assert.notEqual(response.status, 404, path);
  }
});

test('health, metrics and docs are served on their own listeners', async () => {
  const live = await village.startReplica();
  const anyone = clientOf(live.peopleUrl);
  assert.equal(await anyone.getLivez(), 'ok\n');
  assert.equal(await eventually('readiness', async () => await anyone.getReadyz()), 'ok\n');
  assert.equal((await anyone.getOpenApi())['openapi'], '3.1.0');
  assert.match(await anyone.getDocs(), /^<!doctype html>/);
  for (const name of ['world', 'agents', 'postgres', 'redis'])
    await eventually(`readiness of ${name}`, async () =>
      new RegExp(`^\\[\\+\\]${name} ok$`, 'm').test(await (await fetch(`${live.metricsUrl}/readyz?verbose`)).text()),
    );
  const metrics = await (await fetch(`${live.metricsUrl}/metrics`)).text();
  for (const name of ['hamlet_world_seq', 'hamlet_http_request_seconds_count', 'process_resident_memory_bytes'])
    assert.match(metrics, new RegExp(`^${name}`, 'm'));
  assert.equal((await fetch(`${live.peopleUrl}/metrics`)).status, 404);
  const page = await fetch(`${live.peopleUrl}/api/v1/docs`);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  assert.doesNotMatch(await page.text(), /(src|href)="https?:/, 'the page loads nothing from other hosts');
  await live.stop();
});
