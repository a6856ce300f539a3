/**
 * One node is drained, another stops answering. The status of agents names their node; agents that may move do so, the
 * others wait for their volumes.
 */
import assert from 'node:assert/strict';
import { kill } from 'node:process';
import { after, before, test } from 'node:test';
import { clusterStatus } from '../../local/village/cluster.ts';
import { recordRecovery } from '../env/recovery.ts';
import { until } from '../env/until.ts';
import { agentOf, applyAgent, deleteAgents, untilReady, village, type Village } from '../env/village.ts';
import { FULL_RUN } from '../env/seeded.ts';

/** Kubernetes declares a node lost after 40 s, and evicts its pods a minute later. */
const NODE_CAP_MS = 300_000;
const STAYS = 'stan';
const MOVES = 'mia';
const AWAY = ['NodeLost', 'VolumePinned', 'NodeCordoned', 'NodeClosed'];

let place: Village;
/** The node without the api and Postgres. */
let node = '';
let kubelet = 0;

before(async () => {
  place = await village();
  const core = await place.kubectl(['get', 'pod', 'hamlet-postgres-0', '-o', 'jsonpath={.spec.nodeName}']);
  const status = await clusterStatus();
  node = status?.spec.nodes.map(({ name }) => name).find((name) => name !== core) ?? '';
  kubelet = status?.components.find((component) => component.name === 'kubelet' && component.node === node)?.pid ?? 0;
  assert.ok(kubelet > 1, `no kubelet of ${node}`);
  // With the other node cordoned, the first pods of both agents start on `node`, and their volumes keep them there.
  await place.kubectl(['cordon', core]);
  try {
    await applyAgent(place, STAYS);
    await applyAgent(place, MOVES, { placement: { onNodeLoss: 'MoveWithoutVolume' } });
    for (const name of [STAYS, MOVES]) assert.equal((await untilReady(place, name)).node, node);
  } finally {
    await place.kubectl(['uncordon', core]);
  }
});
after(async () => {
  kill(kubelet, 'SIGCONT');
  await place.tryKubectl(['uncordon', node]);
  await deleteAgents(place, [STAYS, MOVES]);
});

test('agents leave a drained node and return only after it is uncordoned', async () => {
  const { pod } = await untilReady(place, STAYS);
  const { code, output } = await place.tryKubectl([
    'drain',
    node,
    '--ignore-daemonsets',
    '--delete-emptydir-data',
    '--pod-selector=hamlet.village/role=agent',
    '--timeout=120s',
  ]);
  assert.equal(code, 0, output);
  try {
    const waiting = await until(`the status of ${STAYS} says why it waits`, async () => {
      const agent = await agentOf(place, STAYS);
      return AWAY.includes(agent?.why.reason ?? '') ? agent : undefined;
    });
    assert.match(waiting.why.message, new RegExp(node));
    const there = await place.kubectl([
      'get',
      'pods',
      '-l',
      'hamlet.village/role=agent',
      '--field-selector',
      `spec.nodeName=${node},status.phase=Running`,
      '-o',
      'name',
    ]);
    assert.equal(there, '', 'no agent runs on a drained node');
  } finally {
    await place.kubectl(['uncordon', node]);
  }
  const back = await untilReady(place, STAYS);
  assert.equal(back.node, node, 'the volume of the agent exists');
  assert.notEqual(back.pod, pod);
  await untilReady(place, MOVES);
});

test(
  'when a node stops answering, an agent that may move without its volume does, and the other waits; both report it',
  { skip: FULL_RUN ? false : 'two and a half minutes: make test-full' },
  async () => {
    const moving = await until(
      `${MOVES} runs on the node that will be lost`,
      async () => ((agent) => (agent.node === node ? agent : undefined))(await untilReady(place, MOVES)),
      { capMs: NODE_CAP_MS },
    );
    await untilReady(place, STAYS);
    const stopped = performance.now();
    // The pods continue without contact, as in a broken network.
    kill(kubelet, 'SIGSTOP');
    await until(
      `${STAYS} says that its node is lost`,
      async () => AWAY.includes((await agentOf(place, STAYS))?.why.reason ?? ''),
      { capMs: NODE_CAP_MS },
    );
    recordRecovery('nodeLossSeenMs', performance.now() - stopped);
    assert.match((await agentOf(place, STAYS))?.why.message ?? '', new RegExp(node));

    const moved = await until(
      `${MOVES} is elsewhere`,
      async () => {
        const agent = await agentOf(place, MOVES);
        return agent?.why.ready === true && agent.status.online && agent.node !== node ? agent : undefined;
      },
      { capMs: NODE_CAP_MS },
    );
    recordRecovery('movedFromLostNodeMs', performance.now() - stopped);
    assert.ok(moved.cycle > moving.cycle, 'a new cycle: the API refuses writes of the old resident');

    kill(kubelet, 'SIGCONT');
    assert.equal((await untilReady(place, STAYS, NODE_CAP_MS)).node, node);
    await until('no pod of an old cycle is left', async () => {
      const pods = await place.kubectl([
        'get',
        'pods',
        '-l',
        `hamlet.village/agent in (${STAYS},${MOVES})`,
        '-o',
        'name',
      ]);
      return pods.split('\n').length === 2;
    });
  },
);
