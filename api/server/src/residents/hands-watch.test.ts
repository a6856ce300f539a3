/** The activity of agents' hands over `/ws/world`: only activity that the API witnessed, until the call, the resident or the run ends. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { HandsMessage, type HandsActivity } from '@hamlet/contract';
import { WebSocket } from 'ws';
import { dataOf, follow } from '@hamlet/test/env/client';
import { startHandsWatch } from './hands-watch.ts';
import { pushOf } from '../egress/testing/egress-bodies.ts';
import { PermissionPlay, type Working } from '../permissions/testing/permission-play.ts';
import { clientOf, eventually, TOKENS, startPlay } from '../testing/test-village.ts';

const RULES = JSON.stringify([
  { tools: ['read', 'exec'], verdict: 'allow' },
  { tools: ['stop_process'], verdict: 'ask' },
]);

const sockets: WebSocket[] = [];
const streams: { stop(): void }[] = [];

const { village, play } = await startPlay({ environment: { HAMLET_TOOL_RULES: RULES } });
const permits = new PermissionPlay(play.url);
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  for (const stream of streams.splice(0)) stream.stop();
  await permits.endAll();
});

/** A visitor without an account; `now` is the latest activity, `texts` everything that it received. */
function watch() {
  const socket = new WebSocket(`${permits.play.url.replace('http', 'ws')}/ws/world`);
  sockets.push(socket);
  const now = new Map<string, HandsActivity>();
  const texts: string[] = [];
  socket.on('message', (data, isBinary) => {
    if (isBinary || !Buffer.isBuffer(data)) return;
    texts.push(data.toString());
    const { reset, agents } = HandsMessage.parse(JSON.parse(data.toString()));
    if (reset) now.clear();
    for (const [id, activity] of Object.entries(agents)) {
      if (activity === null) now.delete(id);
      else now.set(id, activity);
    }
  });
  return { now, texts };
}

/** Opens the stream of an agent's wakes: the agent is connected while it is open. */
function connect(agentId: 'ada' | 'bob') {
  const stream = follow((signal) => permits.play.as(agentId).openWakes({ agent_id: agentId }, { signal }));
  streams.push(stream);
  return stream;
}

type Call = readonly [callId: string, tool: string, args: object];

async function begin(working: Working, [callId, tool, args]: Call) {
  assert.equal(await permits.begun(working, { callId, tool, args }), 'begun');
}

const end = (working: Working, callId: string) => permits.finish(working, callId);

const shows = (seen: ReturnType<typeof watch>, agentId: string, activity: HandsActivity | undefined) =>
  eventually(`${agentId} ${activity ?? 'does nothing'}`, async () => seen.now.get(agentId) === activity);

test('viewers see a call from start to end without its text; a later viewer sees the open calls', async () => {
  connect('ada');
  const working = await permits.startRun('ada');
  const first = watch();
  await begin(working, ['1.0', 'shell', { command: 'pytest -q # the secret of Ada' }]);
  await shows(first, 'ada', 'building');
  await begin(working, ['1.1', 'read_file', { path: 'secret.txt' }]);
  await shows(first, 'ada', 'reading');
  await shows(watch(), 'ada', 'reading');
  await end(working, '1.1');
  await shows(first, 'ada', 'building');
  await end(working, '1.0');
  await shows(first, 'ada', undefined);
  assert.ok(first.texts.length >= 4 && !first.texts.join('').includes('secret'));
});

test('an agent with a lost resident shows no activity, although its call never ended', async () => {
  const stream = connect('bob');
  const working = await permits.startRun('bob');
  const seen = watch();
  await begin(working, ['1.0', 'shell', { command: 'sleep 1000' }]);
  await shows(seen, 'bob', 'typing');
  stream.stop();
  await shows(seen, 'bob', undefined);
});

test('an agent is shown as waiting for a permission until a person answers', async () => {
  const working = await permits.startRun('cleo');
  const seen = watch();
  const stop = { tool: 'stop_process', callId: '1.0', args: { process: '1.0' } };
  const { permission } = dataOf(await permits.ask(working, stop));
  const { runId: run_id, cycle, attempt } = working;
  await permits.play.as('cleo').waitRun({ run_id, cycle, attempt });
  await shows(seen, 'cleo', 'waiting');
  dataOf(await permits.answer(permission.permission_id, { answer: 'allow' }));
  await shows(seen, 'cleo', undefined);
});

test('an agent whose push waits in the broker is shown as waiting, and afterwards as working', async () => {
  const broker = clientOf(permits.play.url, TOKENS.broker);
  connect('ada');
  const working = await permits.startRun('ada');
  const seen = watch();
  await begin(working, ['1.0', 'shell', { command: 'make publish' }]);
  await shows(seen, 'ada', 'building');
  const body = await pushOf({ permits, broker }, working, '1.0');
  const asked = await broker.permitEgress(body);
  assert.equal(asked.verdict, 'wait');
  await shows(seen, 'ada', 'waiting');
  dataOf(await permits.answer(asked.permission_id, { answer: 'allow' }));
  await shows(seen, 'ada', 'building');
  await end(working, '1.0');
  await shows(seen, 'ada', undefined);
});

test('a viewer that reads too slowly gets all activities once it has caught up', async () => {
  const texts: string[] = [];
  const slow = { bufferedAmount: 1_000_000, send: (text: string) => void texts.push(text) };
  const db = village.openDb();
  const quiet = { source: { get: () => null }, presence: { get: () => ({ connected: true }) as never }, log: () => {} };
  const hands = startHandsWatch({ db, ...quiet }, 20);
  try {
    const leave = hands.join(slow);
    const working = await permits.startRun('ada');
    await begin(working, ['1.0', 'shell', { command: 'make' }]);
    const other = { bufferedAmount: 0, texts: [] as string[], send: (text: string) => void other.texts.push(text) };
    hands.join(other);
    await eventually('the other viewer', async () => other.texts.length > 0);
    assert.equal(texts.length, 0);
    slow.bufferedAmount = 0;
    await eventually('the slow viewer', async () => texts.length > 0);
    assert.deepEqual(JSON.parse(texts[0] ?? ''), { type: 'hands', reset: true, agents: { ada: 'building' } });
    leave();
  } finally {
    await hands.stop();
  }
});
