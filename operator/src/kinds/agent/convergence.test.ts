/**
 * From every state that people, nodes, crashes, the api and time can cause, the plans lead to the state that the Agent requests.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases, Seeded, seeds } from '@hamlet/test/env/seeded';
import { reconcile, settle } from './testing/converge.ts';
import { disturb } from './testing/disturbances.ts';
import { ModelCluster } from './testing/model-cluster.ts';
import { standingOf } from './testing/sample-state.ts';

const RUNS = cases(400, 20_000);
const DISTURBANCES = 60;
const LIMITS = { attempts: 40 };
const HOUR_MS = 3_600_000;

function disturbedCluster(seed: number): ModelCluster {
  const random = new Seeded(seed).next;
  const cluster = new ModelCluster();
  for (let turn = 0; turn < DISTURBANCES; turn += 1) {
    disturb(cluster, random);
    if (random() < 0.7) reconcile(cluster, random() < 0.3 ? Math.floor(random() * 4) : Number.POSITIVE_INFINITY);
  }
  return cluster;
}

test(`${RUNS} disturbed agents converge to their spec and their tier`, () => {
  for (const seed of seeds(RUNS)) {
    const cluster = disturbedCluster(seed);
    cluster.calm();
    settle(cluster, LIMITS);
    const { agent, pods, claim, broken } = cluster;
    assert.deepEqual(broken, [], `seed ${seed}`);
    assert.ok(agent?.spec, `seed ${seed}`);
    const wanted = agent.spec.power === 'Awake' ? [`ada-${agent.status.cycle}`] : [];
    assert.deepEqual(
      pods.map(({ metadata }) => metadata.name),
      wanted,
      `seed ${seed}`,
    );
    assert.ok(
      pods.every((pod) => cluster.fits(pod, cluster.tier)),
      `seed ${seed}: the pod has not the compute of ${cluster.tier.metadata.name}`,
    );
    assert.equal(agent.status.tier, cluster.tier.metadata.name, `seed ${seed}`);
    assert.equal(
      agent.status.conditions?.find(({ type }) => type === 'Ready')?.status,
      wanted.length === 0 ? 'False' : 'True',
      `seed ${seed}`,
    );
    assert.ok(wanted.length === 0 || claim !== undefined, `seed ${seed}`);
    const owned = claim?.metadata.ownerReferences?.length ?? 0;
    assert.ok(claim === undefined || owned === (agent.spec.memory.retain === 'Delete' ? 1 : 0), `seed ${seed}`);
  }
});

test(`${RUNS / 2} agents at rest converge again after each disturbance, only through triggers and requeues`, () => {
  for (const seed of seeds(RUNS / 2)) {
    const random = new Seeded(seed).next;
    const cluster = running();
    for (let turn = 0; turn < 3; turn += 1) {
      const retries = settle(cluster, LIMITS, () => disturb(cluster, random));
      assert.equal(
        settle(cluster, { ...LIMITS, retries }, () => cluster.calm()),
        false,
        `seed ${seed}, turn ${turn}: it still fails`,
      );
      const wanted = cluster.agent?.spec?.power === 'Awake' ? [`ada-${cluster.agent.status.cycle}`] : [];
      assert.deepEqual(
        [cluster.pods.map(({ metadata }) => metadata.name), cluster.broken],
        [wanted, []],
        `seed ${seed}, turn ${turn}`,
      );
    }
  }
});

test(`${RUNS} disturbed agents leave nothing behind after their deletion, with or without the api`, () => {
  for (const seed of seeds(RUNS)) {
    const cluster = disturbedCluster(seed);
    cluster.calm();
    cluster.apiAnswers = seed % 2 === 0;
    reconcile(cluster);
    cluster.remove();
    settle(cluster, LIMITS);
    assert.equal(cluster.agent, undefined, `seed ${seed}`);
    assert.deepEqual(cluster.pods, [], `seed ${seed}`);
    assert.deepEqual(cluster.broken, [], `seed ${seed}`);
    assert.equal(cluster.closed, cluster.apiAnswers, `seed ${seed}`);
  }
});

test(`${RUNS} barred agents have no pod after any history, even while the api does not answer`, () => {
  const bars = ['quarantined', 'frozen', 'banned', 'killed'] as const;
  for (const seed of seeds(RUNS)) {
    const cluster = disturbedCluster(seed);
    cluster.calm();
    const bar = bars[seed % bars.length] ?? 'killed';
    cluster.standing = standingOf({ [bar]: true });
    reconcile(cluster);
    if (bar === 'killed') assert.deepEqual(cluster.pods, [], `seed ${seed}: a killed pod gets no grace period`);
    settle(cluster, LIMITS);
    assert.deepEqual(cluster.pods, [], `seed ${seed}`);
    // A new leader to which the api has not connected yet reads the bar from the status.
    cluster.apiState = 'None';
    cluster.restart();
    cluster.setSpec({ power: 'Awake', rebootedAt: '2026-12-24T00:00:00Z' });
    settle(cluster, LIMITS);
    assert.deepEqual(cluster.pods, [], `seed ${seed}: it was admitted without the api`);
  }
});

test(`${RUNS} crashes at each write converge to one pod`, () => {
  for (const seed of seeds(RUNS)) {
    const random = new Seeded(seed).next;
    const cluster = new ModelCluster();
    for (let turn = 0; turn < 30; turn += 1) {
      if (random() < 0.2) cluster.setSpec({ power: 'Awake', rebootedAt: new Date(cluster.nowMs).toISOString() });
      reconcile(cluster, Math.floor(random() * 4));
      cluster.pass(random() * 3_000);
    }
    settle(cluster, LIMITS);
    assert.deepEqual(cluster.broken, [], `seed ${seed}`);
    assert.equal(cluster.pods.length, 1, `seed ${seed}`);
  }
});

function running(tier?: string): ModelCluster {
  const cluster = new ModelCluster();
  cluster.standing = standingOf({ balance_tier: tier ?? null });
  settle(cluster, LIMITS);
  assert.equal(cluster.pods[0]?.container?.running, true);
  return cluster;
}

test('a shrink that hangs, a refused size and a GPU each lead to one new pod with the same volume', () => {
  for (const [mood, from, to] of [
    ['hangs', 'tier-1', 'tier-0'],
    ['forbidden', 'tier-0', 'tier-1'],
    ['refuses', 'tier-0', 'tier-1'],
    ['defers', 'tier-0', 'tier-1'],
    ['applies', 'tier-1', 'tier-2'],
  ] as const) {
    const cluster = running(from);
    const claim = cluster.claim?.metadata.uid;
    cluster.resizes = mood;
    cluster.standing = standingOf({ balance_tier: to });
    settle(cluster, LIMITS);
    assert.deepEqual([mood, cluster.made, cluster.claim?.metadata.uid], [mood, 2, claim]);
    assert.ok(
      cluster.pods.every((pod) => cluster.fits(pod, cluster.tier)),
      mood,
    );
  }
});

test('a pod that stays unschedulable for three days is not replaced, despite crashes and resyncs', () => {
  for (const mood of ['holds', 'gates'] as const) {
    const random = new Seeded(7).next;
    const cluster = new ModelCluster();
    cluster.scheduler = mood;
    for (let elapsedMs = 0; elapsedMs < 72 * HOUR_MS; elapsedMs += 600_000) {
      reconcile(cluster, random() < 0.2 ? Math.floor(random() * 4) : Number.POSITIVE_INFINITY);
      cluster.pass(600_000);
    }
    assert.equal(cluster.made, 1, mood);
    cluster.scheduler = 'binds';
    settle(cluster, LIMITS);
    assert.equal(cluster.made, 1, mood);
  }
});

test('a preempted agent waits with one new pod, and does not loop', () => {
  const cluster = running();
  cluster.scheduler = 'holds';
  cluster.terminate(cluster.pods[0]?.metadata.uid ?? '', 'PreemptionByScheduler');
  for (let minute = 0; minute < 600; minute += 1) {
    reconcile(cluster);
    cluster.pass(60_000);
  }
  assert.equal(cluster.made, 2);
});
