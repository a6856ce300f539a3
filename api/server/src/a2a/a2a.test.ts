/** Agents as A2A servers (callA2a, getAgentCard, getVillageCard), called by the SDK's own client in both versions, on a real village. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Role, TaskState, type Message, type Part, type SendMessageRequest, type Task } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, type Client } from '@a2a-js/sdk/client';
import { SESSIONS_OF_PERSON_MAX } from '@hamlet/contract';
import { dataOf } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { until } from '@hamlet/test/env/until';
import { ASKING_RULES, post, startPermits } from '../permissions/testing/permission-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { TOKENS, type AgentId } from '../testing/test-village.ts';
import { clientOf as exampleClient } from './testing/example-client.ts';

const { village, permits } = await startPermits({
  rules: ASKING_RULES,
  environment: async (of) => {
    const callbacks = ', callbackHosts: [hooks.example.org]';
    for (const [name, more] of [
      ['ada', ''],
      ['bob', callbacks],
    ] as const)
      await of.writeSample(`good-agent-${name}.yaml`, (text) => `${text}  a2a: { enabled: true${more} }\n`);
    return {};
  },
});
const { url } = permits.play;
const talk = new SessionPlay(url);

const HOOK = 'https://hooks.example.org/tasks?of=mine';
const NO_ID = '01890000-0000-7000-8000-000000000000';
type Version = '1.0' | '0.3';

/** Acts like a client of 0.3, which names no version and knows no `supportedInterfaces`. */
const asOlder: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  headers.delete('a2a-version');
  const response = await fetch(input, { ...init, headers });
  if (!String(input).endsWith('agent-card.json')) return response;
  const { supportedInterfaces: _, ...card } = (await response.json()) as Record<string, unknown>;
  return Response.json(card, { status: response.status });
};

/** A client of an agent; of 1.0 as docs/A2A.md shows it. */
async function clientOf(agentId: string, key: string = TOKENS.member, version: Version = '1.0'): Promise<Client> {
  const address = `${url}/a2a/${agentId}/`;
  if (version === '1.0') return exampleClient(address, key);
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${key}`);
    return asOlder(input, { ...init, headers });
  };
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options)],
    cardResolver: new DefaultAgentCardResolver(options),
  });
  return factory.createFromUrl(address);
}

const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

type Sent = Partial<Pick<Message, 'messageId' | 'contextId' | 'taskId'>> & {
  readonly parts?: Part[];
  readonly wait?: boolean;
};

function asking(text: string, { parts = [textPart(text)], wait = false, ...more }: Sent = {}): SendMessageRequest {
  const ids = { messageId: randomUUID(), contextId: '', taskId: '', ...more };
  const message = { ...ids, parts, role: Role.ROLE_USER, metadata: undefined, extensions: [], referenceTaskIds: [] };
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: !wait };
  return { tenant: '', message, configuration, metadata: undefined };
}

async function send(client: Client, text: string, more: Sent = {}): Promise<Task> {
  const sent = await client.sendMessage(asking(text, more));
  assert.ok('status' in sent);
  return sent;
}

const get = (client: Client, id: string): Promise<Task> => client.getTask({ tenant: '', id });
const nameOf = (state: TaskState = TaskState.TASK_STATE_UNSPECIFIED): string => TaskState[state] ?? '';
const stateOf = ({ status }: Task): string => nameOf(status?.state);
const wordsOf = (parts: readonly Part[] = []): string =>
  parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');
const refuses = (call: Promise<unknown>, message: RegExp) => assert.rejects(call, { message });

async function rpc(agentId: string, body: unknown, token: string = TOKENS.member): Promise<Response> {
  return fetch(`${url}/a2a/${agentId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
}

for (const version of ['1.0', '0.3'] as const)
  test(`a client of ${version} reads the card, gives a task, and reads its answer and its end`, async () => {
    const client = await clientOf('ada', TOKENS.member, version);
    const card = await client.getAgentCard();
    assert.deepEqual([card.name, client.protocolVersion], ['ada', version]);
    const task = await send(client, 'What does Bob want?');
    assert.equal(stateOf(task), 'TASK_STATE_SUBMITTED');
    const again = await send(client, 'And Cleo?', { contextId: task.contextId });
    assert.equal(again.contextId, task.contextId, 'the context is the session');
    await talk.answerNext('ada', 'He wants bread.');
    const ended = await get(client, task.id);
    assert.deepEqual(
      [stateOf(ended), wordsOf(ended.artifacts[0]?.parts), wordsOf(ended.history[0]?.parts)],
      ['TASK_STATE_COMPLETED', 'He wants bread.', 'What does Bob want?'],
    );
    const { id, state } = {
      id: again.id,
      state: stateOf(await client.cancelTask({ tenant: '', id: again.id, metadata: {} })),
    };
    assert.equal(state, 'TASK_STATE_CANCELED');
    await refuses(client.cancelTask({ tenant: '', id, metadata: {} }), /run_settled|cancel/i);
  });

test('a blocking call waits for the end; a stream shows states and the answer, and ends', async () => {
  const client = await clientOf('ada');
  const blocking = send(client, 'Bake.', { wait: true });
  await until('the run', async () => (await talk.next('ada')) !== null);
  await talk.answerNext('ada', 'Baked.');
  assert.equal(stateOf(await blocking), 'TASK_STATE_COMPLETED');

  const events: string[] = [];
  for await (const { payload } of client.sendMessageStream(asking('Sweep.'))) {
    if (payload?.$case === 'task') {
      events.push(stateOf(payload.value));
      dataOf(await talk.start('ada', payload.value.id));
    } else if (payload?.$case === 'statusUpdate') {
      events.push(nameOf(payload.value.status?.state));
      if (payload.value.status?.state === TaskState.TASK_STATE_WORKING)
        dataOf(await talk.answer('ada', payload.value.taskId, 'Swept.'));
    } else if (payload?.$case === 'artifactUpdate') events.push(wordsOf(payload.value.artifact?.parts));
  }
  assert.deepEqual(events, ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'Swept.', 'TASK_STATE_COMPLETED']);
});

test('a reply with taskId answers a question in words, and a permission only by its id', async () => {
  const client = await clientOf('bob');
  const task = await send(client, 'Paint the door.');
  const working = await permits.start('bob', { run_id: task.id });
  const question = { tool: 'ask_human', callId: '1.0', args: { question: 'Which colour?' } };
  dataOf(await permits.ask(working, question, { why: 'question' }));
  const { runId, cycle, attempt } = working;
  await talk.play.as('bob').waitRun({ run_id: runId, cycle, attempt });
  const asked = await get(client, task.id);
  assert.equal(stateOf(asked), 'TASK_STATE_INPUT_REQUIRED');
  assert.equal(wordsOf(asked.status?.message?.parts), 'Which colour?');
  const reply = { taskId: task.id, contextId: task.contextId, messageId: randomUUID() };
  const [first, repeated] = [await send(client, 'Green', reply), await send(client, 'Green', reply)];
  assert.deepEqual([first.id, repeated.id], [task.id, task.id], 'a repeated reply has one effect');

  const again = await permits.start('bob', { run_id: task.id });
  const { permission } = dataOf(await permits.ask(again, post('2.0', 'The door is green')));
  await talk.play.as('bob').waitRun({ run_id: runId, cycle, attempt: again.attempt });
  const id = permission.permission_id;
  assert.match(
    wordsOf((await get(client, task.id)).status?.message?.parts),
    new RegExp(`"allow ${id}" or "deny ${id}"`),
  );
  await refuses(send(client, 'allow', { taskId: task.id }), /reply with a word and the id/);
  await refuses(send(client, `allow ${NO_ID}`, { taskId: task.id }), /no_such_permission/);
  await send(client, `allow ${id}`, { taskId: task.id });
  const { permissions } = await permits.member.listPermissions({ run_id: task.id });
  assert.equal(permissions.find(({ permission_id }) => permission_id === id)?.state, 'allowed');
  await refuses(send(client, 'More', { taskId: task.id }), /asks nothing now/);
});

test('24 calls with one messageId make one task', async () => {
  const client = await clientOf('ada');
  const messageId = randomUUID();
  const tasks = await Promise.all(Array.from({ length: 24 }, () => send(client, 'Once.', { messageId })));
  assert.equal(new Set(pluck(tasks, 'id')).size, 1);
  await refuses(send(client, 'Another text.', { messageId }), /idempotency_key_reused/);
  await client.cancelTask({ tenant: '', id: tasks[0]?.id ?? '', metadata: {} });
});

test("another person's task and context are unknown, and so are those of another agent", async () => {
  const [own, other] = [await clientOf('ada'), await clientOf('bob')];
  const { session_id: sessionId } = await talk.open(talk.play.admin, 'ada');
  const { run } = dataOf(await talk.say(talk.play.admin, sessionId, 'A secret.'));
  await refuses(get(own, run.run_id), /no_such_run/);
  await refuses(send(own, 'Hello', { contextId: sessionId }), /no_such_session/);
  await refuses(send(own, 'Hello', { taskId: run.run_id }), /no_such_run/);
  await refuses(own.cancelTask({ tenant: '', id: run.run_id, metadata: {} }), /no_such_run/);
  const mine = await send(own, 'Mine.');
  await refuses(get(other, mine.id), /no_such_run/);
  await refuses(send(other, 'Hello', { contextId: mine.contextId }), /no_such_session/);
  await refuses(get(own, 'not an id'), /no_such_run/);
  const listed = await own.listTasks(listing({}));
  assert.ok(!listed.tasks.some(({ id }) => id === run.run_id));
  await own.cancelTask({ tenant: '', id: mine.id, metadata: {} });
  dataOf(await talk.cancel(run.run_id));
});

const listing = (more: {
  pageSize?: number;
  pageToken?: string;
  contextId?: string;
  status?: TaskState;
  statusTimestampAfter?: string;
}) => ({
  tenant: '',
  contextId: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageToken: '',
  statusTimestampAfter: undefined,
  ...more,
});

test('tasks are listed in pages, by context and by state', async () => {
  const client = await clientOf('ada');
  const first = await send(client, 'One.');
  const ids = [first.id];
  for (const text of ['Two.', 'Three.']) ids.push((await send(client, text, { contextId: first.contextId })).id);
  const { contextId } = first;
  const page = await client.listTasks(listing({ contextId, pageSize: 2 }));
  assert.deepEqual([pluck(page.tasks, 'id'), page.totalSize], [[ids[2], ids[1]], 3]);
  const rest = await client.listTasks(listing({ contextId, pageSize: 2, pageToken: page.nextPageToken }));
  assert.deepEqual([pluck(rest.tasks, 'id'), rest.nextPageToken], [[ids[0]], '']);
  await client.cancelTask({ tenant: '', id: first.id, metadata: {} });
  const status = TaskState.TASK_STATE_CANCELED;
  assert.deepEqual(pluck((await client.listTasks(listing({ contextId, status }))).tasks, 'id'), [ids[0]]);
  await refuses(client.listTasks(listing({ contextId, pageToken: 'made up' })), /cursor_invalid/);
  for (const time of ['soon', '+275760-09-13T00:00:00Z'])
    await refuses(client.listTasks(listing({ statusTimestampAfter: time })), /RFC 3339/);
  for (const id of ids.slice(1)) await client.cancelTask({ tenant: '', id, metadata: {} });
});

test('a stream whose client leaves frees its place, and another call follows the same task', async () => {
  const client = await clientOf('ada');
  const task = await send(client, 'Wait.');
  // One more than a key may follow at a time.
  for (let round = 0; round < 33; round += 1) {
    const leaving = new AbortController();
    const stream = client.resubscribeTask({ tenant: '', id: task.id }, { signal: leaving.signal });
    assert.equal((await stream.next()).value?.payload?.$case, 'task');
    leaving.abort();
    await stream.next().catch(() => undefined);
  }
  const stream = client.resubscribeTask(
    { tenant: '', id: task.id.toUpperCase() },
    { signal: AbortSignal.timeout(20_000) },
  );
  await stream.next();
  await talk.answerNext('ada', 'Waited.');
  const later = await stream.next();
  assert.equal(later.value?.payload?.$case, 'statusUpdate', 'ids with capital letters are the same');
  await stream.return(undefined);
  await refuses(client.resubscribeTask({ tenant: '', id: task.id }).next(), /has ended/);
});

test("the page's curl works, and its client is the one of these tests", async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/A2A.md'), 'utf8');
  const [, client = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
  assert.equal(client, await readFile(join(import.meta.dirname, 'testing/example-client.ts'), 'utf8'));
  const [, curl = ''] = /```sh\n(curl .*?)```/s.exec(page) ?? [];
  const [, path = ''] = /http:\/\/localhost:8080(\S+)/.exec(curl) ?? [];
  const named = [...curl.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value] as const);
  const headers = { ...Object.fromEntries(named), Authorization: `Bearer ${TOKENS.member}` };
  const body = /-d \\\n\s*'(.*)'/.exec(curl)?.[1] ?? '';
  const sent = fetch(`${url}${path}`, { method: 'POST', headers, body });
  await until('the run', async () => (await talk.next('ada')) !== null);
  await talk.answerNext('ada', 'Bread.');
  const { result } = (await (await sent).json()) as { result: { task: { status: { state: string } } } };
  assert.equal(result.task.status.state, 'TASK_STATE_COMPLETED');
});

test('a task has callbacks only at hosts that the Agent names', async () => {
  const [ada, bob] = [await clientOf('ada'), await clientOf('bob')];
  const sends = async (client: Client) => (await client.getAgentCard()).capabilities?.pushNotifications;
  assert.deepEqual([await sends(ada), await sends(bob)], [false, true]);
  const callback = (taskId: string, address: string) => ({
    tenant: '',
    id: 'mine',
    taskId,
    url: address,
    token: 'secret-of-the-receiver',
    authentication: undefined,
  });
  const task = await send(bob, 'Report to me.');
  const params = callback(task.id, HOOK);
  const unasked = await rpc('ada', { jsonrpc: '2.0', id: 1, method: 'CreateTaskPushNotificationConfig', params });
  assert.match(await unasked.text(), /-32003/);
  for (const address of ['https://evil.example.com/', 'http://hooks.example.org/', 'https://127.0.0.1/', 'made up'])
    await refuses(bob.createTaskPushNotificationConfig(callback(task.id, address)), /url: egress_/);
  const created = await bob.createTaskPushNotificationConfig(callback(task.id, HOOK));
  assert.deepEqual([created.id, created.url, created.token], ['mine', HOOK, '']);
  const about = { tenant: '', taskId: task.id, pageSize: 0, pageToken: '' };
  assert.deepEqual(pluck((await bob.listTaskPushNotificationConfig(about)).configs, 'id'), ['mine']);
  await bob.deleteTaskPushNotificationConfig({ tenant: '', taskId: task.id, id: 'mine' });
  assert.deepEqual((await bob.listTaskPushNotificationConfig(about)).configs, []);
  await bob.cancelTask({ tenant: '', id: task.id, metadata: {} });
});

test('files, huge parts, batches and other versions are refused; an agent without a2a is unknown', async () => {
  const client = await clientOf('ada');
  const raw: Part = { ...textPart(''), content: { $case: 'raw', value: Buffer.from('x') }, filename: 'x.bin' };
  await refuses(send(client, '', { parts: [raw] }), /reads text and JSON/);
  await refuses(send(client, '', { parts: [] }), /1 to 32 parts/);
  await refuses(send(client, 'x'.repeat(20_000)), /validation_failed/);
  await refuses(send(client, 'x', { contextId: 'made-up' }), /message.contextId/);
  const message = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: {} };
  assert.equal((await rpc('ada', [message])).status, 400);
  assert.equal((await rpc('ada', { ...message, params: { long: 'x'.repeat(200_000) } })).status, 413);
  assert.match(await (await rpc('ada', { ...message, method: 'NoSuch' })).text(), /-32601/);
  for (const unknown of ['cleo', 'nemo'] satisfies (AgentId | 'nemo')[]) {
    assert.equal((await rpc(unknown, message)).status, 404);
    assert.equal((await fetch(`${url}/a2a/${unknown}/.well-known/agent-card.json`)).status, 404);
  }
  const village404 = await fetch(`${url}/.well-known/agent-card.json`);
  assert.match(await village404.text(), /\/a2a\/ada\/\.well-known\/agent-card\.json, \/a2a\/bob/);
  const older = await fetch(`${url}/a2a/ada`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '7.0', authorization: `Bearer ${TOKENS.member}` },
    body: JSON.stringify(message),
  });
  assert.match(await older.text(), /-32009/);
});

test('calls without a context never run out of sessions: the longest idle one ends', async () => {
  const client = await clientOf('bob', TOKENS.admin);
  const contexts: string[] = [];
  for (let index = 0; index <= SESSIONS_OF_PERSON_MAX; index += 1) {
    const { id, contextId } = await send(client, `Task ${index}.`);
    contexts.push(contextId);
    await client.cancelTask({ tenant: '', id, metadata: {} });
  }
  assert.equal(new Set(contexts).size, SESSIONS_OF_PERSON_MAX + 1);
  await refuses(send(client, 'Again.', { contextId: contexts[0] ?? '' }), /session_terminated/);
  assert.equal(village.logs.filter((line) => line.includes('a call over A2A failed')).length, 0);
});
