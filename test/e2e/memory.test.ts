/**
 * An agent with a model remembers: a person says something on one day, and seven days later, in another chat and another pod,
 * the agent uses it for the same person and shows nothing of it to another one. The test moves the times of the sleeping
 * agent's memory back by seven days. Then the memory grows to 10,000 entries.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { openMemory } from '@hamlet/engine/memory';
import type { WireServer } from '@hamlet/models/testing';
import { clusterStatus } from '../../local/village/cluster.ts';
import { run } from '../../local/village/command.ts';
import { testFolder } from '../env/at-end.ts';
import { testClient, type TestClient } from '../env/client.ts';
import { ownTier } from '../env/cluster/own-tier.ts';
import { startChatServer, STAY, type Chat } from '../env/minds/chat-server.ts';
import { chatsOf, connectMind, disconnectMind, SMALL } from '../env/minds/village-mind.ts';
import { until } from '../env/until.ts';
import { applyAgent, deleteAgents, getObject, podsOf, setPower, untilReady, village } from '../env/village.ts';
import type { Village } from '../env/village.ts';

/** Memories stay with a name permanently, so each run uses a new name. */
const NAME = `olga-${process.pid}`;
const TIER = `memory-${process.pid}`;
const PASSWORD = 'a long password of a test';
const WEEK_MS = 7 * 86_400_000;
const MANY = 10_000;
const IDLE_MAX_BYTES = 100 << 20;
/** The agent reports 256 memories every three seconds to the API. */
const REPORTED_CAP_MS = 400_000;
/** Time after the last work until the pod counts as idle. */
const REST_MS = 30_000;
const SECRET = 'My grandmother bakes plum cake with cardamom on Thursdays';
const QUESTION = 'Which cake does my grandmother bake?';

let place: Village;
let wire: WireServer;
let rosa: TestClient;
let otto: TestClient;

const memoriesIn = ({ messages }: Chat): string =>
  messages.findLast(({ role }) => role === 'user')?.content?.split('\n\n[From memory]\n')[1] ?? '';

async function person(name: string): Promise<TestClient> {
  const made = await place.admin.createAccount({ name: `${name}-${process.pid}`, role: 'member' });
  const body = { code: made.invitation?.code ?? '', password: PASSWORD };
  const redeemed = await testClient({ baseUrl: place.url }).raw.redeemCode(body);
  assert.ok(redeemed.ok);
  return testClient({ baseUrl: place.url, cookie: redeemed.response.headers.getSetCookie()[0]?.split(';')[0] ?? '' });
}

/** Says something to the agent in a new conversation, and returns its answer. */
async function ask(who: TestClient, text: string): Promise<string> {
  const { session_id } = (await who.createSession({ agent_id: NAME })).session;
  const { run: asked } = await who.sendMessage({ session_id, text });
  return until(`the answer to ${text}`, async () => {
    const { messages } = await who.listMessages({ session_id });
    const answer = messages.find((message) => message.author.role === 'agent' && message.run_id === asked.run_id);
    return answer?.text;
  });
}

/** The folder of the memory, as the node of the local cluster mounts it. */
async function folderOfMemory(): Promise<string> {
  const claim = await getObject<{ spec: { volumeName: string } }>(place, 'pvc', `${NAME}-home`);
  const path = await place.kubectl(['get', 'pv', claim?.spec.volumeName ?? '', '-o', 'jsonpath={.spec.local.path}']);
  const components = (await clusterStatus())?.components ?? [];
  const kubelets = components.filter(({ name }) => name === 'kubelet');
  const folders = kubelets.map(({ pid }) => join(`/proc/${pid}/root`, path, 'hamlet', 'memory'));
  const found = folders.find((folder) => existsSync(join(folder, 'memory.db')));
  assert.ok(found !== undefined, `no node has a memory in ${path}`);
  return found;
}

/**
 * Puts the agent to sleep, changes a copy of its memory, puts the copy in its place, and awakens the agent. SQLite cannot open the
 * memory itself: it resolves /proc/PID/root as a link, and so leaves the mounts of the node.
 */
async function whileItSleeps(change: (folder: string) => Promise<void>): Promise<void> {
  await setPower(place, NAME, 'Asleep');
  await until('no pod is left', async () => (await podsOf(place, NAME)) === '');
  const folder = await folderOfMemory();
  const copy = testFolder('memory');
  await run('cp', ['-a', `${folder}/.`, copy]);
  await change(copy);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  await run('cp', ['-a', `${copy}/.`, folder]);
  await setPower(place, NAME, 'Awake');
  await untilReady(place, NAME);
}

before(async () => {
  place = await village();
  wire = await startChatServer(
    (chat) => (chat.response_format === undefined ? { text: [memoriesIn(chat) || 'I do not know.'] } : STAY),
    SMALL,
  );
  await connectMind(place, wire);
  await place.kubectl(
    ['apply', '-f', '-'],
    JSON.stringify(ownTier(TIER, { models: ['small'], cpu: '250m', memory: '256Mi' })),
  );
  await applyAgent(place, NAME, {
    displayName: 'Olga',
    entitlement: { policy: 'Pinned', name: TIER },
    model: { name: 'small' },
    loop: { every: '60s' },
  });
  await untilReady(place, NAME);
  [rosa, otto] = [await person('rosa'), await person('otto')];
});
after(async () => {
  await deleteAgents(place, [NAME]);
  await place.tryKubectl(['delete', 'entitlement', TIER, '--ignore-not-found']);
  await disconnectMind(place);
  await wire?.close();
});

test('after seven days and in another chat, the agent uses what the same person said, and no other person gets it', async () => {
  await ask(rosa, SECRET);
  await whileItSleeps(async (folder) => {
    const database = new DatabaseSync(join(folder, 'memory.db'));
    const moved = database.prepare(
      'update memory set at = at - ?, last_said_at = last_said_at - ?, last_used_at = last_used_at - ?',
    );
    assert.ok(moved.run(WEEK_MS, WEEK_MS, WEEK_MS).changes > 0);
    database.close();
  });
  assert.match(await ask(rosa, QUESTION), /plum cake with cardamom/);

  const before = chatsOf(wire.requests, NAME).length;
  await ask(otto, QUESTION);
  const requests = JSON.stringify(chatsOf(wire.requests, NAME).slice(before));
  assert.match(requests, /grandmother/, 'the model got the question of the other person');
  assert.doesNotMatch(requests, /cardamom/);
  const found = (who: TestClient): Promise<object> => who.searchAgentMemory({ agent_id: NAME, q: 'plum cake' });
  assert.match(JSON.stringify(await found(rosa)), /cardamom/);
  assert.doesNotMatch(JSON.stringify(await found(otto)), /cardamom/);
});

test('with 10,000 memories an idle pod stays within 100 MiB, and the agent still knows', async (t) => {
  await whileItSleeps(async (folder) => {
    const memory = openMemory({ dir: folder });
    for (let at = 0; at < MANY; at += 500)
      await memory.remember(
        Array.from({ length: 500 }, (_, index) => ({
          kind: 'evidence' as const,
          text: `Loaf ${at + index} weighed ${(at + index) * 7} grams and went to house ${(at + index) % 97}`,
          audience: 'public' as const,
          session: `s-${at}`,
          turn: index,
          speaker: 'bob',
        })),
      );
    memory.close();
  });
  assert.match(await ask(rosa, QUESTION), /plum cake with cardamom/);
  const last = `Loaf ${MANY - 1} weighed`;
  await until(
    'people see the last memory',
    async () => JSON.stringify(await rosa.searchAgentMemory({ agent_id: NAME, q: last })).includes(last),
    { capMs: REPORTED_CAP_MS, pauseMs: 1_000 },
  );
  const pod = (await podsOf(place, NAME)).replace('pod/', '');
  const node = await place.kubectl(['get', 'pod', pod, '-o', 'jsonpath={.spec.nodeName}']);
  const restedMs = Date.now() + REST_MS;
  const used = await until('a measurement of the idle pod', () => workingSets(node, pod, restedMs));
  const inAll = used.reduce((sum, { bytes }) => sum + bytes, 0);
  const parts = used.map(({ name, bytes }) => `${name} ${(bytes / 2 ** 20).toFixed(1)}`);
  t.diagnostic(`${(inAll / 2 ** 20).toFixed(1)} MiB with ${MANY} memories: ${parts.join(', ')}`);
  assert.ok(inAll <= IDLE_MAX_BYTES, `${inAll} bytes`);
});

interface Measured {
  readonly name: string;
  readonly memory?: { readonly time: string; readonly workingSetBytes: number };
}

/** The working set of each container of a pod, as the kubelet measures it. Undefined before all are measured after a time. */
async function workingSets(
  node: string,
  pod: string,
  afterMs: number,
): Promise<readonly { readonly name: string; readonly bytes: number }[] | undefined> {
  const summary = await place.kubectl(['get', '--raw', `/api/v1/nodes/${node}/proxy/stats/summary`]);
  const { pods } = JSON.parse(summary) as {
    pods: { podRef: { name: string }; containers: Measured[] }[];
  };
  const { containers = [] } = pods.find(({ podRef }) => podRef.name === pod) ?? {};
  const fresh = containers.flatMap(({ name, memory }) =>
    memory !== undefined && Date.parse(memory.time) >= afterMs ? [{ name, bytes: memory.workingSetBytes }] : [],
  );
  return fresh.length > 0 && fresh.length === containers.length ? fresh : undefined;
}
