/** Calls of net tools over HTTP: rates of the tier over all replicas, the memory that the browser needs, and the class of a call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf } from '@hamlet/test/env/client';
import { type HandsCall, PermissionPlay, type Working, startPermits } from '../testing/permission-play.ts';

const TIER_0 = 'good-entitlement-tier-0.yaml';
const { village, permits } = await startPermits({
  samples: {
    [TIER_0]: (tier) =>
      tier
        .replace('webSearchesPerHour: 20', 'webSearchesPerHour: 3')
        .replace('webRequestsPerHour: 120', 'webRequestsPerHour: 5')
        .replace('browserCallsPerHour: 0', 'browserCallsPerHour: 2')
        .replace('memory: 256Mi', 'memory: 2Gi'),
  },
});
const other = permits.at((await village.startReplica({})).peopleUrl);

type Begin = HandsCall & { readonly callId: string; readonly over?: PermissionPlay };
const begin = (working: Working, { over = permits, args = {}, ...call }: Begin) =>
  over.begin(working, { args, ...call });

async function use(working: Working, call: Begin): Promise<string> {
  const answer = await begin(working, call);
  if (!answer.ok) return answer.problem.code;
  if (answer.data.state === 'begun') await permits.finish(working, call.callId);
  return answer.data.outcome?.code ?? answer.data.state;
}

test('searches of an hour count over all runs and replicas; the refusal says when the next one may begin', async () => {
  const working = await permits.startRun('bob');
  const search = (callId: string, over?: PermissionPlay): Promise<string> =>
    use(working, { callId, tool: 'web_search', args: { query: 'apples' }, ...(over === undefined ? {} : { over }) });
  assert.equal(await search('1.0'), 'begun');
  assert.equal(await search('1.1', other), 'begun');
  await permits.endAll();
  const next = await permits.startRun('bob');
  assert.equal(await use(next, { callId: '1.0', tool: 'web_search', args: { query: 'pears' } }), 'begun');
  const refused = await begin(next, { callId: '1.1', tool: 'web_search', over: other });
  assert.ok(!refused.ok);
  assert.deepEqual([refused.problem.code, refused.problem.status], ['too_many_searches', 429]);
  const wait = Number(/in (\d+) s$/.exec(refused.problem.detail ?? '')?.[1]);
  assert.ok(wait > 3_000 && wait <= 3_600, refused.problem.detail);
  assert.equal(await use(next, { callId: '1.2', tool: 'web_fetch', args: { url: 'https://a.test' } }), 'begun');
  assert.equal(await use(await permits.startRun('ada'), { callId: '1.0', tool: 'web_search' }), 'begun');
});

test('http, web_fetch and calls of other agents share one rate', async () => {
  const working = await permits.startRun('bob');
  const url = 'https://a.test';
  for (const [n, tool] of ['http', 'web_fetch', 'http', 'web_fetch'].entries())
    assert.equal(await use(working, { callId: `2.${n}`, tool, args: { url } }), 'begun');
  const refused = await begin(working, { callId: '2.5', tool: 'web_fetch', args: { url }, over: other });
  assert.ok(!refused.ok);
  assert.equal(refused.problem.code, 'too_many_web_requests');
  assert.match(refused.problem.detail ?? '', /tier-0 allows 5 requests to the web an hour; the next one in \d+ s/);
  await permits.endAll();
});

test('all tools of the browser share one rate', async () => {
  const working = await permits.startRun('bob');
  assert.equal(await use(working, { callId: '1.0', tool: 'browser_open', args: { url: 'https://a.test' } }), 'begun');
  assert.equal(await use(working, { callId: '1.1', tool: 'browser_read' }), 'begun');
  assert.equal(await use(working, { callId: '1.2', tool: 'browser_read' }), 'too_many_browser_calls');
});

test('a tier below 2Gi has no browser; the denial names the tiers that have one', async () => {
  await village.writeSample(TIER_0, (tier) => tier.replace('memory: 2Gi', 'memory: 256Mi'));
  const replica = permits.at((await village.startReplica({})).peopleUrl);
  const working = await permits.startRun('bob');
  const answer = dataOf(await begin(working, { callId: '1.0', tool: 'browser_read', over: replica }));
  assert.equal(answer.state, 'denied');
  assert.equal(answer.outcome?.code, 'tier_too_small');
  assert.match(answer.outcome?.text ?? '', /needs a tier with 2Gi[^]*tier-0 has 256Mi[^]*have it: tier-2/);
});

test('by default a person is asked about a call that sends something, but not about one that reads', async () => {
  const working = await permits.startRun('ada');
  const http = (callId: string, args: object): Promise<string> => use(working, { callId, tool: 'http', args });
  const url = 'https://api.test/v1';
  assert.equal(await http('1.0', { url }), 'begun');
  assert.equal(await http('1.1', { url, method: 'HEAD' }), 'begun');
  assert.equal(await http('1.2', { url, method: 'POST', body: '{}' }), 'permission_needed');
  assert.equal(await http('1.3', { url, body: 'in a GET' }), 'permission_needed');
  assert.equal(await http('1.4', { url, method: 'BREW' }), 'permission_needed', 'unclear arguments may send');
});
