/** A node loses power: the other node serves the village, and everything recovers when the node returns. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { API_VERSION, type Run } from '@hamlet/contract';
import { clusterStatus, hamletCluster } from '../../local/village/cluster.ts';
import { recordRecovery, type RecoveryMetric } from '../env/recovery.ts';
import { until } from '../env/until.ts';
import { applyAgent, deleteAgents, showsWorld, untilReady, village, type Village } from '../env/village.ts';
import { FULL_RUN } from '../env/seeded.ts';

/** Kubernetes evicts the pods of a lost node after about two minutes; pods that wait for volumes on the node return with it. */
const BACK_CAP_MS = 300_000;
const CORE_AGENT = 'lena';
const OTHER_AGENT = 'otis';
const AGENTS = [CORE_AGENT, OTHER_AGENT];
const LONG_WORK = Array.from({ length: 4 }, (_, index) => `Go to the ${index % 2 === 0 ? 'library' : 'market'}.`).join(
  ' ',
);
const SKIP = FULL_RUN ? false : 'over three minutes for each node: make test-full';

let place: Village;
/** The node with Postgres, and the other one. */
let core = '';
let other = '';

before(async () => {
  if (!FULL_RUN) return;
  place = await village();
  core = await place.kubectl(['get', 'pod', 'hamlet-postgres-0', '-o', 'jsonpath={.spec.nodeName}']);
  other = (await clusterStatus())?.spec.nodes.map(({ name }) => name).find((name) => name !== core) ?? '';
  for (const component of ['api', 'operator']) await spreadOut(component);
  await settleOn(CORE_AGENT, core);
  await settleOn(OTHER_AGENT, other);
  for (const agent of AGENTS) {
    const schedule = {
      apiVersion: API_VERSION,
      kind: 'Schedule',
      metadata: { name: `beat-of-${agent}` },
      spec: { agentName: agent, prompt: 'Look around.', every: '10s', overlap: 'Forbid' },
    };
    await place.kubectl(['apply', '-f', '-'], JSON.stringify(schedule));
  }
});
after(async () => {
  if (!FULL_RUN) return;
  for (const node of [core, other]) await hamletCluster(['start-node', node]);
  await until('both nodes are Ready', async () => (await readiness(core)) && (await readiness(other)), {
    capMs: BACK_CAP_MS,
  });
  await place.tryKubectl(['uncordon', core, other]);
  await place.tryKubectl([
    'delete',
    'schedule',
    ...AGENTS.map((agent) => `beat-of-${agent}`),
    '--ignore-not-found',
    '--timeout=60s',
  ]);
  await deleteAgents(place, AGENTS);
});

async function nodesOf(component: string): Promise<readonly string[]> {
  const ready = await place.kubectl([
    'get',
    'pods',
    '-l',
    `app.kubernetes.io/component=${component}`,
    '-o',
    'jsonpath={range .items[*]}{.spec.nodeName} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}',
  ]);
  return ready.split('\n').flatMap((line) => (line.endsWith(' True') ? [line.split(' ')[0] ?? ''] : []));
}

/** Ensures that both nodes have a pod of a component: if an earlier fault left both pods on one node, moves one of them. */
async function spreadOut(component: string): Promise<void> {
  const names = component === 'api' ? 'hamlet.village/log-volume=none' : 'app.kubernetes.io/component=operator';
  if (new Set(await nodesOf(component)).size < 2) {
    const [pod = ''] = (await place.kubectl(['get', 'pods', '-l', names, '-o', 'name'])).split('\n');
    await place.kubectl(['delete', pod, '--wait=false']);
  }
  await until(`a ready ${component} on each node`, async () => new Set(await nodesOf(component)).size === 2, {
    capMs: BACK_CAP_MS,
  });
}

/** Makes the first pod of an agent start on a node, where the agent's volume then keeps it. */
async function settleOn(agent: string, node: string): Promise<void> {
  const elsewhere = node === core ? other : core;
  await place.kubectl(['cordon', elsewhere]);
  try {
    await applyAgent(place, agent);
    assert.equal((await untilReady(place, agent)).node, node);
  } finally {
    await place.kubectl(['uncordon', elsewhere]);
  }
}

async function readiness(node: string): Promise<boolean> {
  return (
    (await place.kubectl(['get', 'node', node, '-o', 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'])) ===
    'True'
  );
}

/** True if the map is live for every new viewer: six sockets, one after the other. */
async function mapIsLive(): Promise<boolean> {
  for (let count = 0; count < 6; count += 1) if (!(await showsWorld(place, 3_000))) return false;
  return true;
}

/** True if the API returns the world with all agents in it. */
async function mapIsRead(): Promise<boolean> {
  const outcome = await place.admin.raw.getWorld();
  return (
    outcome.ok &&
    AGENTS.every((agent) => outcome.data.agents.some(({ agent_id }) => agent_id === agent)) &&
    (await mapIsLive())
  );
}

/** Runs of an agent's schedule that were created after a time and are done. */
async function doneSince(agent: string, madeAfterMs: number): Promise<readonly Run[]> {
  const { runs } = await place.admin.listRuns({ schedule: `beat-of-${agent}`, state: 'done' });
  return runs.filter(({ created_at }) => Date.parse(created_at) > madeAfterMs);
}

const runOf = async (runId: string): Promise<Run> => (await place.admin.getRun({ run_id: runId })).run;

/** Stops a node; returns the time of the stop. */
async function cutPower(
  node: string,
): Promise<{ readonly sinceMs: number; readonly record: (metric: RecoveryMetric) => void }> {
  await hamletCluster(['stop-node', node]);
  const cut = performance.now();
  return { sinceMs: Date.now(), record: (metric) => recordRecovery(metric, performance.now() - cut) };
}

async function everythingBack(): Promise<void> {
  for (const agent of ['ada', 'bob', ...AGENTS]) await untilReady(place, agent, BACK_CAP_MS);
  for (const component of ['api', 'operator'])
    await until(`two of ${component} are ready`, async () => (await nodesOf(component)).length >= 2, {
      capMs: BACK_CAP_MS,
    });
  await until(
    'the board accepts a post',
    async () => (await place.admin.raw.createPost({ title: 'The power is back', body: 'All lights are on.' })).ok,
    { capMs: BACK_CAP_MS },
  );
}

test(
  'the node without Postgres loses power: the other node serves the village, and runs of lost agents wait',
  { skip: SKIP },
  async () => {
    const given = (await place.admin.createRun({ agent_id: OTHER_AGENT, prompt: LONG_WORK })).run;
    await until('the long work is under way', async () => (await runOf(given.run_id)).state === 'running');
    const { sinceMs, record } = await cutPower(other);
    await Promise.all([
      until('the map is live', mapIsLive).then(() => record('powerCutMapMs')),
      // Only a live agent with a connection to an api ends a run.
      until('a schedule fires and its run is done', async () => (await doneSince(CORE_AGENT, sinceMs)).length > 0).then(
        () => record('powerCutScheduleMs'),
      ),
      until('the run of the lost agent waits', async () => (await runOf(given.run_id)).state === 'queued').then(() =>
        record('powerCutRunWaitsMs'),
      ),
    ]);
    await hamletCluster(['start-node', other]);
    await everythingBack();
    record('powerCutBackMs');
    const done = await until(
      'the next pod of the lost agent ends its run',
      async () => ((run) => (run.ended_at === null ? undefined : run))(await runOf(given.run_id)),
      { capMs: BACK_CAP_MS },
    );
    assert.deepEqual([done.state, done.attempt > 1], ['done', true], done.summary ?? '');
  },
);

test(
  'the node of Postgres loses power: map and board stay readable, and everything works when it returns',
  { skip: SKIP },
  async () => {
    // Kubernetes does not move a pod on its own: after the loss of a node, both replicas may be on the other
    // node.
    for (const component of ['api', 'operator']) await spreadOut(component);
    const { record } = await cutPower(core);
    await Promise.all([
      until('the map is read', mapIsRead).then(() => record('corePowerCutMapMs')),
      until('the board is read', async () => (await place.admin.raw.listPosts()).ok).then(() =>
        record('corePowerCutBoardMs'),
      ),
    ]);
    await hamletCluster(['start-node', core]);
    await everythingBack();
    record('corePowerCutBackMs');
  },
);
