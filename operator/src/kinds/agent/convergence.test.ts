/** From every state that people, nodes, crashes and time can bring about, the plans lead to what the Agent asks for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan } from './plan.ts';
import { ModelCluster } from './testing/model-cluster.ts';

const RUNS = 500;
const DISTURBANCES = 40;
/** No plan needs more attempts than this when nothing disturbs it. */
const MAX_ATTEMPTS = 30;

/** Mulberry32: the same seed, the same run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One reconcile, which may die after any action; whether there was nothing to do. */
function reconcile(cluster: ModelCluster, actionsUntilCrash: number): boolean {
  const observed = cluster.observed();
  if (observed === undefined) return true;
  const { actions } = plan(observed, cluster.nowMs);
  try {
    for (const action of actions.slice(0, actionsUntilCrash)) cluster.perform(action);
  } catch {
    return false;
  }
  if (actionsUntilCrash >= actions.length) cluster.writeStatus();
  return actions.length === 0;
}

function settle(cluster: ModelCluster): void {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const idle = reconcile(cluster, Number.POSITIVE_INFINITY);
    if (idle && attempt > 3) return;
    cluster.pass(11_000);
  }
  assert.fail('the plans never end');
}

function disturbedCluster(seed: number): ModelCluster {
  const random = randomFrom(seed);
  const cluster = new ModelCluster();
  for (let turn = 0; turn < DISTURBANCES; turn += 1) {
    cluster.disturb(random);
    if (random() < 0.7) reconcile(cluster, random() < 0.3 ? Math.floor(random() * 4) : Number.POSITIVE_INFINITY);
  }
  cluster.calm();
  return cluster;
}

test(`${RUNS} disturbed agents come to rest as their spec says`, () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const cluster = disturbedCluster(seed);
    settle(cluster);
    const { agent, pods, claim, broken } = cluster;
    assert.deepEqual(broken, [], `seed ${seed}`);
    assert.ok(agent?.spec, `seed ${seed}`);
    const wanted = agent.spec.power === 'Awake' ? [`ada-${agent.status.cycle}`] : [];
    assert.deepEqual(pods.map(({ metadata }) => metadata.name), wanted, `seed ${seed}`);
    assert.ok(wanted.length === 0 || claim !== undefined, `seed ${seed}`);
    const owned = claim?.metadata.ownerReferences?.length ?? 0;
    assert.ok(claim === undefined || owned === (agent.spec.memory.retain === 'Delete' ? 1 : 0), `seed ${seed}`);
  }
});

test(`${RUNS} disturbed agents leave nothing behind when they are deleted, with the api or without`, () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const cluster = disturbedCluster(seed);
    cluster.apiAnswers = seed % 2 === 0;
    reconcile(cluster, Number.POSITIVE_INFINITY);
    cluster.remove();
    settle(cluster);
    assert.equal(cluster.agent, undefined, `seed ${seed}`);
    assert.deepEqual(cluster.pods, [], `seed ${seed}`);
    assert.deepEqual(cluster.broken, [], `seed ${seed}`);
    assert.equal(cluster.closed, cluster.apiAnswers, `seed ${seed}`);
  }
});
