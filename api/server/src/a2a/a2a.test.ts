/** Agents as A2A servers (callA2a, getAgentCard, getVillageCard), called by the SDK's own client in both versions, on a real village. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { TaskState, type Part, type Task } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { GIVEN_FILE_MAX_BYTES, GIVEN_FILES_MAX, SESSIONS_OF_PERSON_MAX } from '@hamlet/contract';
import type { Db } from '@hamlet/store';
import { dataOf } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { until } from '@hamlet/test/env/until';
import { ASKING_RULES, post, startPermits } from '../permissions/testing/permission-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { TOKENS, type AgentId } from '../testing/test-village.ts';
import { listTasks } from './read-tasks.ts';
import { a2aClient, asking, filePart, send, textPart, type Version } from './testing/a2a-play.ts';

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
const clientOf = (agentId: string, key: string = TOKENS.member, version: Version = '1.0'): Promise<Client> =>
  a2aClient(`${url}/a2a/${agentId}/`, { key, version });
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

/** A database that notes each query. */
function countingDb(): { readonly db: Db; readonly queries: readonly unknown[] } {
  const queries: unknown[] = [];
  const plugin: Parameters<Db['withPlugin']>[0] = {
    transformQuery: ({ node }) => {
      queries.push(node);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  return { db: village.openDb().withPlugin(plugin), queries };
}

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
  const { run } = await talk.play.admin.getRun({ run_id: first.id });
  const { db, queries } = countingDb();
  const actor = { role: 'member', id: run.created_by.id, accountId: null, name: '' } as const;
  const reader = { db, agentId: 'ada', origin: url, caller: { actor, requestId: '', traceparent: '' } };
  const asked = [1, 3].map((pageSize) => ({ ...listing({ contextId, pageSize }), includeArtifacts: true }));
  const counts: number[] = [];
  for (const each of asked) {
    const before = queries.length;
    const listed = await listTasks(reader, each);
    assert.equal(listed.ok && listed.data.tasks.length, each.pageSize);
    counts.push(queries.length - before);
  }
  assert.equal(counts[0], counts[1], 'a page of three tasks takes as many queries as one of a single task');
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
  const admin = await clientOf('bob', TOKENS.admin);
  const ofAdmin = { ...callback(task.id, `${HOOK}&by=admin`), id: 'other' };
  await admin.createTaskPushNotificationConfig(ofAdmin);
  const [own, all] = [
    await bob.listTaskPushNotificationConfig(about),
    await admin.listTaskPushNotificationConfig(about),
  ];
  assert.deepEqual([pluck(own.configs, 'id'), pluck(all.configs, 'id')], [['mine'], ['mine', 'other']]);
  await refuses(bob.getTaskPushNotificationConfig({ tenant: '', taskId: task.id, id: 'other' }), /no callback other/);
  await refuses(bob.createTaskPushNotificationConfig(ofAdmin), /another caller of this task uses it/);
  for (const id of ['mine', 'other'])
    await bob.deleteTaskPushNotificationConfig({ tenant: '', taskId: task.id.toUpperCase(), id });
  assert.deepEqual(pluck((await admin.listTaskPushNotificationConfig(about)).configs, 'id'), ['other']);
  await bob.cancelTask({ tenant: '', id: task.id, metadata: {} });
});

for (const version of ['1.0', '0.3'] as const)
  test(`the files of a message of ${version} reach the agent that works on its task, until the task ends`, async () => {
    const client = await clientOf('ada', TOKENS.member, version);
    const csv = Buffer.from('a,b\n1,2\n');
    const parts = [textPart('Add them up.'), filePart('sums.csv', csv), filePart('sums.csv', csv)];
    const task = await send(client, '', { parts });
    const { run, files = [] } = dataOf(await talk.start('ada', task.id));
    const [{ path, sha256 } = { path: '', sha256: '' }, ...others] = files;
    assert.match(path, /^given\/[0-9a-f]{12}\/sums\.csv$/);
    assert.deepEqual(others, [], 'the same file twice is one');
    assert.equal(
      run.prompt,
      `Add them up.\n\nFiles of this message:\n- /workspace/${path} (text/csv, ${csv.length} bytes)`,
    );
    const asked = { run_id: task.id, sha256, cycle: await talk.cycle('ada') };
    const { content } = await talk.play.as('ada').readRunFile(asked);
    assert.deepEqual(Buffer.from(content, 'base64'), csv);
    const byOther = await talk.play.as('bob').raw.readRunFile(asked);
    assert.equal(byOther.ok ? '' : byOther.problem.code, 'not_own_agent');
    dataOf(await talk.answer('ada', task.id, 'Three.'));
    const late = await talk.play.as('ada').raw.readRunFile(asked);
    assert.equal(late.ok ? '' : late.problem.code, 'no_such_artifact');
  });

test('a message of files alone is a task; other files are refused with what to send', async () => {
  const client = await clientOf('ada');
  const task = await send(client, '', { parts: [filePart('', Buffer.from([0, 255]))] });
  assert.match(
    wordsOf((await get(client, task.id)).history[0]?.parts),
    /^Look at the files[^]*\/file-1 \(text\/csv, 2 bytes/,
  );
  const reply = { parts: [filePart('x', Buffer.from('x'))], taskId: task.id };
  await refuses(send(client, '', reply), /leave taskId out/);
  await client.cancelTask({ tenant: '', id: task.id, metadata: {} });
  const bytes = (length: number) => Buffer.alloc(length, 1);
  const unfit = [
    [filePart('../x', bytes(1))],
    [filePart('empty', bytes(0))],
    [filePart('large', bytes(GIVEN_FILE_MAX_BYTES + 1))],
    Array.from({ length: GIVEN_FILES_MAX + 1 }, (_, index) => filePart(`${index}`, bytes(1))),
  ];
  for (const parts of unfit) await refuses(send(client, '', { parts }), /send at most 4 files of 1 to 524288 bytes/);
  const address: Part = { ...textPart(''), content: { $case: 'url', value: 'https://files.example.org/x' } };
  await refuses(send(client, '', { parts: [address] }), /send the bytes of the file, or its address as text/);
  const largest = Array.from({ length: GIVEN_FILES_MAX }, (_, index) =>
    filePart(`${index}.bin`, bytes(GIVEN_FILE_MAX_BYTES - index)),
  );
  const { id } = await send(client, '', { parts: largest });
  await client.cancelTask({ tenant: '', id, metadata: {} });
});

test('huge parts, batches and other versions are refused; an agent without a2a is unknown', async () => {
  const client = await clientOf('ada');
  await refuses(send(client, '', { parts: [] }), /1 to 32 parts/);
  await refuses(send(client, 'x'.repeat(20_000)), /validation_failed/);
  await refuses(send(client, 'x', { contextId: 'made-up' }), /message.contextId/);
  const message = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: {} };
  assert.equal((await rpc('ada', [message])).status, 400);
  assert.equal((await rpc('ada', { ...message, params: { long: 'x'.repeat(4_000_000) } })).status, 413);
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
