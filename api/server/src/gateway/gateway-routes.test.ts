/** The model gateway over HTTP on a real Postgres and Redis: the requests that a tier allows, their cost, and their errors. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { ChatCompletionChunk, completeChat, Problem } from '@hamlet/contract';
import type { CallInput, ChatCompletion, ModelUse, Outcome } from '@hamlet/contract';
import { readModelRequests } from '@hamlet/store';
import { untilEnd } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { RunPlay } from '../testing/play/run-play.ts';
import { agentToken, eventually, TOKENS, testVillage, type AgentId, Play } from '../testing/test-village.ts';
import { heldModels } from './testing/held-models.ts';

type Body = CallInput<typeof completeChat>['body'];

const held = heldModels();

const village = await testVillage();
// The lowest tier of this village names a model that fails, one that waits, and one that no provider serves. Its hour is short.
await village.writeSample('good-entitlement-tier-0.yaml', (tier) =>
  tier
    .replace('models: [small]', 'models: [small, held, failing, unserved]')
    .replace('tokensPerHour: 2000000', 'tokensPerHour: 200000'),
);
const replica = await village.startReplica({}, { models: held.models });
const url = replica.peopleUrl;
const metricsUrl = replica.metricsUrl;
const play = new Play(url);
const db = village.openDb();
const superuser = untilEnd(openSuperuser(village.postgres));
await play.everybody();

function ask(agentId: AgentId, changes: Partial<Body> = {}): Promise<Outcome<ChatCompletion>> {
  const body = {
    model: 'small',
    messages: [{ role: 'user', content: 'Where is the mill, please?' }],
    ...changes,
  } as Body;
  return play.as(agentId).raw.completeChat(body);
}

const useOf = (agentId: AgentId): Promise<ModelUse> => play.admin.getModelUse({ agent_id: agentId });
const modelsOf = async (agentId: AgentId) => (await play.as(agentId).listModels()).data.map(({ id }) => id);

function post(agentId: AgentId, body: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${agentToken(agentId)}`, 'content-type': 'application/json' };
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function refusalOf(call: Promise<Outcome<unknown>>): Promise<Problem & { retryAfter: string | null }> {
  const outcome = await call;
  assert.ok(!outcome.ok, 'it was let in');
  return { ...outcome.problem, retryAfter: outcome.response.headers.get('retry-after') };
}

test("a model of the tier answers in OpenAI's format and reveals that it is scripted; its tokens are counted", async () => {
  const before = await useOf('bob');
  const { object, model, choices, usage, hamlet } = dataOf(await ask('bob'));
  assert.deepEqual([object, model], ['chat.completion', 'small']);
  const { provider, scripted, tokens: paid, price, estimated, ttft_ms: ttftMs } = hamlet;
  assert.deepEqual([provider, scripted, price, estimated], ['scripted', true, '0', false]);
  assert.ok(ttftMs !== null && hamlet.queue_ms >= 0);
  assert.deepEqual(paid, {
    prompt: usage.prompt_tokens,
    completion: usage.completion_tokens,
    total: usage.total_tokens,
  });
  const [choice] = choices;
  assert.equal(choice?.finish_reason, 'stop');
  assert.match(choice?.message.content ?? '', /mill/);
  assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
  assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0);
  const now = await useOf('bob');
  assert.equal(now.tokens.used - before.tokens.used, usage.total_tokens);
  assert.equal(now.in_flight, 0);
  const [request] = now.recent;
  assert.deepEqual(
    [request?.model, request?.outcome, request?.prompt_tokens, request?.completion_tokens],
    ['small', 'done', usage.prompt_tokens, usage.completion_tokens],
  );
  assert.equal(
    (await ask('bob', { seed: 7 })).ok && dataOf(await ask('bob', { seed: 7 })).choices[0]?.message.content,
    dataOf(await ask('bob', { seed: 7 })).choices[0]?.message.content,
  );
});

test('no text of a conversation is stored', async () => {
  dataOf(await ask('bob', { messages: [{ role: 'user', content: 'the secret word is xylophone' }] }));
  assert.ok(!JSON.stringify(await readModelRequests(db, 'bob', 1)).includes('xylophone'));
});

test('a stream has the same text, the usage if requested, and DONE', async () => {
  const whole = dataOf(await ask('bob')).choices[0]?.message.content;
  const response = await post('bob', {
    model: 'small',
    messages: [{ role: 'user', content: 'Where is the mill, please?' }],
    stream: true,
    stream_options: { include_usage: true },
  });
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.match(response.headers.get('ratelimit-policy') ?? '', /"tokens";q=200000;qu="tokens";w=3600/);
  const lines = (await response.text())
    .split('\n\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/^data: /, ''));
  assert.equal(lines.at(-1), '[DONE]');
  const chunks = lines.slice(0, -1).map((line) => ChatCompletionChunk.parse(JSON.parse(line)));
  assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), whole);
  assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant');
  assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, 'stop');
  assert.deepEqual(chunks.at(-1)?.choices, []);
  assert.ok((chunks.at(-1)?.usage?.completion_tokens ?? 0) > 0);
});

test('an answer ends at its token limit or at a stop sequence', async () => {
  const short = dataOf(await ask('bob', { max_tokens: 3 }));
  assert.equal(short.choices[0]?.finish_reason, 'length');
  assert.ok(short.usage.completion_tokens <= 3);
  assert.equal(dataOf(await ask('bob', { stop: 'mill' })).choices[0]?.message.content?.includes('mill'), false);
});

test("a model outside the tier, a model without a provider and a long prompt are refused, also in OpenAI's format", async () => {
  const large = await refusalOf(ask('bob', { model: 'large' }));
  assert.equal(large.code, 'model_not_in_tier');
  assert.equal(large.status, 404);
  assert.deepEqual(large.error, {
    message: large.detail,
    type: 'invalid_request_error',
    param: null,
    code: 'model_not_found',
  });
  assert.equal((await refusalOf(ask('ada', { model: 'unserved' }))).code, 'model_not_in_tier');
  assert.equal(
    (await refusalOf(ask('bob', { messages: [{ role: 'user', content: 'word '.repeat(5_000) }] }))).code,
    'context_too_long',
  );
  const invalid = Problem.parse(await (await post('bob', { model: 'small', messages: [] })).json());
  assert.equal(invalid.error?.type, 'invalid_request_error');
  assert.equal(invalid.error?.param, 'messages');
  assert.equal(Problem.parse(await (await fetch(`${url}/v1/models`)).json()).error?.type, 'authentication_error');
});

test('the scripted mind refuses a required tool call or a schema before it costs anything', async () => {
  const tools = [{ type: 'function' as const, function: { name: 'go_to' } }];
  const schema = { type: 'json_schema' as const, json_schema: { name: 'plan', schema: {} } };
  const before = await useOf('bob');
  for (const changes of [{ tools, tool_choice: 'required' as const }, { response_format: schema }])
    assert.equal((await refusalOf(ask('bob', changes))).code, 'model_bad_request');
  assert.ok((await ask('bob', { tools })).ok, 'tools that are only offered');
  assert.equal((await useOf('bob')).recent[1]?.outcome, 'failed');
  assert.equal((await useOf('bob')).recent[1]?.prompt_tokens, 0);
  assert.ok((await useOf('bob')).tokens.used > before.tokens.used, 'only the answered request is counted');
});

test('the scripted mind has no embeddings', async () => {
  const asked = play.as('bob').raw.createEmbeddings({ model: 'small', input: 'bread' });
  assert.equal((await refusalOf(asked)).code, 'model_bad_request');
});

test('only agents may use models; people read the use of any agent, an agent only its own', async () => {
  const member = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${TOKENS.member}` } });
  assert.equal(member.status, 403);
  assert.equal((await refusalOf(play.as('bob').raw.getModelUse({ agent_id: 'ada' }))).code, 'not_own_agent');
  assert.equal((await play.as('bob').getModelUse({ agent_id: 'bob' })).tier, 'tier-0');
});

test('the headers report requests, tokens and requests in progress', async () => {
  const answer = await ask('bob');
  const policies = answer.response.headers.get('ratelimit-policy') ?? '';
  const states = answer.response.headers.get('ratelimit') ?? '';
  assert.match(
    policies,
    /^"tier-0";q=120;w=60, "tokens";q=200000;qu="tokens";w=3600, "in-flight";q=2;qu="concurrent-requests"$/,
  );
  assert.match(states, /^"tier-0";r=\d+;t=\d+, "tokens";r=\d+;t=\d+, "in-flight";r=1$/);
});

test('a tier allows a number of concurrent model requests, not counting tools; further ones are refused', async () => {
  const { limits } = await useOf('cleo');
  assert.deepEqual([limits.concurrent_tools, limits.concurrent_model_requests], [1, 2]);
  const body = { model: 'held', messages: [{ role: 'user', content: 'wait' }], stream: true };
  const open = await Promise.all([post('cleo', body), post('cleo', body)]);
  await eventually('two in flight', async () => (await useOf('cleo')).in_flight === 2);
  const refused = await refusalOf(ask('cleo'));
  assert.equal(refused.code, 'too_many_in_flight');
  assert.equal(refused.status, 429);
  assert.equal(refused.retryAfter, '1');
  held.release();
  for (const answer of open) assert.match(await answer.text(), /\[DONE\]/);
  assert.ok((await ask('cleo')).ok);
});

test('a caller who disconnects ends the request; the text so far is counted', async () => {
  const leaving = new AbortController();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer ${agentToken('cleo')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'held', messages: [{ role: 'user', content: 'wait' }], stream: true }),
  });
  await response.body?.getReader().read();
  leaving.abort();
  const ended = await eventually('the end of the request', async () => {
    const [request] = (await useOf('cleo')).recent;
    return request?.outcome === 'cancelled' ? request : null;
  });
  assert.ok(ended.completion_tokens > 0, 'the piece that came');
  assert.ok((await ask('cleo')).ok, 'its place is free again');
});

test('a failing provider is reported; a request that fails without text costs nothing', async () => {
  const before = (await useOf('cleo')).tokens.used;
  const failed = await refusalOf(ask('cleo', { model: 'failing' }));
  assert.equal(failed.code, 'model_failed');
  assert.equal(failed.error?.type, 'server_error');
  const health = async (name: string) => (await play.admin.showModels()).models.find((each) => each.name === name);
  const failing = await health('failing');
  assert.equal(failing?.last_success, null);
  assert.match(
    failing?.last_failure?.fix ?? '',
    /^The provider \w+ failed: .* \(network\)\. Repeat the request later$/,
  );
  const small = await health('small');
  assert.equal(small?.last_failure, null);
  assert.ok(Date.parse(small?.last_success?.at ?? '') > 0);
  assert.equal((await useOf('cleo')).tokens.used, before);
  const inPieces = await (
    await post('cleo', { model: 'failing', messages: [{ role: 'user', content: 'x' }], stream: true })
  ).text();
  assert.match(inPieces, /"code":"model_failed"/);
  assert.doesNotMatch(inPieces, /\[DONE\]/);
  const vectors = await refusalOf(play.as('cleo').raw.createEmbeddings({ model: 'failing', input: 'bread' }));
  assert.equal(vectors.code, 'model_failed');
});

test('a model of the tier without a provider is not listed, and is refused as not served', async () => {
  assert.deepEqual(await modelsOf('dan'), ['small', 'held', 'failing']);
  assert.equal((await refusalOf(ask('dan', { model: 'unserved' }))).code, 'model_not_served');
  const one = (model: string) => play.as('dan').raw.getModel({ model });
  assert.partialDeepStrictEqual(dataOf(await one('held')), { id: 'held', owned_by: 'held', context_tokens: 1_000 });
  assert.equal((await refusalOf(one('unserved'))).code, 'model_not_served');
  assert.equal((await refusalOf(one('large'))).code, 'model_not_in_tier');
});

test('a request that could exceed the tokens of the hour is refused with the time to wait', async () => {
  const { tokens } = await useOf('dan');
  const long = [{ role: 'user' as const, content: 'abcd '.repeat(3_900) }];
  while ((await useOf('dan')).tokens.remaining > 4_100) dataOf(await ask('dan', { messages: long, max_tokens: 1 }));
  const refused = await refusalOf(ask('dan', { messages: long, max_tokens: 200 }));
  assert.equal(refused.code, 'token_quota_exhausted');
  const { type, code, resets_in_seconds: resetsInS = 0 } = refused.error ?? {};
  assert.deepEqual([type, code, refused.retryAfter], ['insufficient_quota', 'insufficient_quota', null]);
  assert.ok(resetsInS > 120 && resetsInS <= 3_600, 'no client sleeps for the rest of the hour');
  assert.ok((await useOf('dan')).tokens.used <= tokens.quota);
});

test('a request is recorded with the run that it names; an unknown run and that of another agent are refused', async () => {
  const runs = new RunPlay(url);
  const own = await runs.give('eve');
  const other = await runs.give('fay');
  dataOf(await ask('eve', { metadata: { run_id: own.run_id } }));
  assert.equal((await useOf('eve')).recent[0]?.run_id, own.run_id);
  for (const runId of [other.run_id, randomUUID()])
    assert.equal((await refusalOf(ask('eve', { metadata: { run_id: runId } }))).code, 'no_such_run');
  const labels = { run_id: 'langsmith-42', user: 'x' };
  dataOf(await ask('bob', { metadata: labels }));
  assert.equal((await useOf('bob')).recent[0]?.run_id, null, 'labels of another program are ignored');
});

test('a reward raises the tier with its models, concurrent requests and tokens; a penalty lowers it again', async () => {
  assert.deepEqual((await modelsOf('fay')).includes('large'), false);
  const judge = { agent_id: 'fay', amount: '12', reason: 'for the test' };
  await play.admin.rewardAgent(judge);
  const richer = await eventually('tier-1', async () => {
    const use = await useOf('fay');
    return use.tier === 'tier-1' ? use : null;
  });
  assert.deepEqual(
    [
      richer.tokens.quota,
      richer.limits.concurrent_tools,
      richer.limits.concurrent_model_requests,
      richer.limits.requests_per_minute,
    ],
    [10_000_000, 2, 4, 300],
  );
  assert.ok((await modelsOf('fay')).includes('large'));
  const paid = dataOf(await ask('fay', { model: 'large' }));
  assert.equal(paid.model, 'large');
  const agent = await eventually('the charge', async () => {
    const detail = await play.agent('fay');
    return Number(detail.balance) < 12 ? detail : null;
  });
  assert.ok(
    Math.abs(12 - Number(agent.balance) - paid.usage.total_tokens * 0.000_002) < 0.000_01,
    `${agent.balance} after ${paid.usage.total_tokens} tokens`,
  );
  await play.admin.penalizeAgent({ ...judge, amount: '10' });
  await eventually('tier-0 again', async () => (await useOf('fay')).tier === 'tier-0');
  assert.equal((await refusalOf(ask('fay', { model: 'large' }))).code, 'model_not_in_tier');
});

test('an agent of a priced tier without money is refused before the provider is asked, and uses no tokens', async () => {
  const before = await useOf('ada');
  const refused = await refusalOf(ask('ada'));
  assert.equal(refused.code, 'insufficient_funds');
  assert.equal(refused.error?.type, 'insufficient_quota');
  const now = await useOf('ada');
  assert.equal(now.tokens.used, before.tokens.used);
  assert.equal(now.recent[0]?.outcome, 'not_paid');
});

test('a request whose end cannot be recorded is refused, and is not counted as refused before its provider was asked', async () => {
  await superuser.run("create function lose() returns trigger language plpgsql as $$begin raise 'lost'; end$$");
  await superuser.run('create trigger lose before update on model_request for each row execute function lose()');
  try {
    assert.equal((await refusalOf(ask('eve'))).code, 'internal');
    const vectors = play.as('eve').raw.createEmbeddings({ model: 'failing', input: 'bread' });
    assert.equal((await refusalOf(vectors)).code, 'internal');
  } finally {
    await superuser.run('drop function lose cascade');
  }
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  assert.match(text, /hamlet_model_unsettled_total 2/);
  assert.doesNotMatch(text, /hamlet_model_refusals_total\{reason="internal"\}/);
});

test('the metrics count requests, tokens and refusals', async () => {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  assert.match(text, /hamlet_model_requests_total\{model="small",outcome="done"\} \d+/);
  assert.match(text, /hamlet_model_tokens_total\{model="small",kind="completion"\} \d+/);
  const charged = /hamlet_model_charged_aidollars_total\{model="large"\} (\S+)/.exec(text)?.[1];
  assert.ok(Number(charged) > 0 && Number(charged) < 1, `charged ${charged}`);
  assert.match(text, /hamlet_model_refusals_total\{reason="model_not_in_tier"\} \d+/);
  assert.doesNotMatch(text, /hamlet_model_refusals_total\{reason="model_failed"\}/, 'its provider was asked');
  assert.match(text, /hamlet_limits_shared 1/);
});
