/** Kills each part of the village, one at a time: the village recovers each time, and nothing acknowledged is lost. */
import assert from 'node:assert/strict';
import { kill } from 'node:process';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordRecovery, type RecoveryMetric } from '../env/recovery.ts';
import { until } from '../env/until.ts';
import type { Village } from '../env/village.ts';
import {
  agentOf,
  getObject,
  killComponent,
  mainProcessOf,
  showsWorld,
  untilMoves,
  untilReady,
  village,
} from '../env/village.ts';

const PAUSE_MS = 300;

/** A speech event that the API acknowledged as durable. */
interface Acknowledged {
  readonly seq: number;
  readonly text: string;
}

/** Makes an agent say numbered texts, and records the texts that the API acknowledged as durable. */
class Witness {
  readonly #place: Village;
  readonly #agent: string;
  readonly #acknowledged: Acknowledged[] = [];
  readonly #done: Promise<void>;
  #stopped = false;
  #said = 0;

  constructor(place: Village, agent: string) {
    this.#place = place;
    this.#agent = agent;
    this.#done = this.#speak();
  }

  /** Number of texts acknowledged so far. */
  get count(): number {
    return this.#acknowledged.length;
  }

  /** Waits until the API acknowledges a text that the agent says after this call. */
  async untilReceived(): Promise<void> {
    const before = this.#said;
    await until('a durable event is acknowledged', async () =>
      this.#acknowledged.some(({ text }) => numberOf(text) > before),
    );
  }

  /** Acknowledged texts that are missing or different in Postgres. */
  async lost(): Promise<readonly Acknowledged[]> {
    // Copied before the query: later acknowledgements may be newer than the query's result.
    const acknowledged = [...this.#acknowledged];
    const sql = `select coalesce(json_object_agg(seq, event->>'text'), '{}') from world_event where kind = 'talk' and agent_id = '${this.#agent}'`;
    const stored = await until(
      'Postgres answers',
      async () =>
        JSON.parse(
          await this.#place.kubectl([
            'exec',
            'hamlet-postgres-0',
            '--',
            'psql',
            '-U',
            'postgres',
            '-d',
            'hamlet',
            '-Atc',
            sql,
          ]),
        ) as Record<string, string>,
    );
    return acknowledged.filter(({ seq, text }) => stored[String(seq)] !== text);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #speak(): Promise<void> {
    while (!this.#stopped) {
      this.#said += 1;
      const text = `Word ${this.#said} of ${process.pid}.`;
      try {
        const outcome = await this.#place.admin.raw.actAsAgent(
          { agent_id: this.#agent, kind: 'talk', text },
          { signal: AbortSignal.timeout(10_000) },
        );
        if (outcome.ok && outcome.data.durable_seq !== null)
          this.#acknowledged.push({ seq: outcome.data.durable_seq, text });
      } catch {
        // Only acknowledged texts must be durable.
      }
      await sleep(PAUSE_MS);
    }
  }
}

function numberOf(text: string): number {
  return Number(/^Word (\d+)/.exec(text)?.[1]);
}

/**
 * Kubernetes declares a node lost only after 40 s, and the node recovers after that: longer than the limit of the
 * other faults.
 */
const KUBELET_CAP_MS = 300_000;

interface Pod {
  readonly status: {
    readonly containerStatuses?: readonly { readonly restartCount: number; readonly ready: boolean }[];
  };
}

interface Node {
  readonly status: {
    readonly allocatable: Readonly<Record<string, string>>;
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastHeartbeatTime: string;
    }[];
  };
}

let place: Village;
let witness: Witness;

before(async () => {
  place = await village();
  await untilReady(place, 'ada');
  await untilReady(place, 'bob');
  witness = new Witness(place, 'ada');
  await witness.untilReceived();
});
after(async () => {
  await witness?.stop();
});

async function podNamed(component: string): Promise<string> {
  return place.kubectl([
    'get',
    'pods',
    '-l',
    `app.kubernetes.io/component=${component}`,
    '-o',
    'jsonpath={.items[0].metadata.name}',
  ]);
}

async function restartsOf(pod: string): Promise<number> {
  const containers = (await getObject<Pod>(place, 'pod', pod))?.status.containerStatuses ?? [];
  return containers.reduce((sum, { restartCount }) => sum + restartCount, 0);
}

/** Sends SIGKILL to the main process of a pod's container; returns when the kubelet has counted the restart. */
async function crash(pod: string): Promise<number> {
  const before = await restartsOf(pod);
  const main = await mainProcessOf(place, pod);
  const killed = performance.now();
  kill(main, 'SIGKILL');
  await until(`${pod} is started again`, async () => (await restartsOf(pod)) > before);
  return killed;
}

/** Requests a reboot from the api, which then owns the field, as after a click by a person. */
async function reboot(agent: string): Promise<void> {
  const outcome = await place.admin.raw.rebootAgent({ agent_id: agent, on_conflict: 'take_over' });
  assert.equal(outcome.ok, true, JSON.stringify(outcome));
}

/** Asserts that both agents live, the api stores writes, sockets show the world, and no acknowledged text is lost. */
async function itselfAgain(): Promise<void> {
  await untilReady(place, 'ada');
  await untilReady(place, 'bob');
  await witness.untilReceived();
  await until('the api is ready', async () => (await fetch(`${place.url}/readyz`)).ok);
  await until('a socket shows the world', () => showsWorld(place, 10_000));
}

/** Records the time from the kill until now, then checks the rest of the village. */
async function settle(metric: RecoveryMetric, killed: number): Promise<void> {
  await itselfAgain();
  recordRecovery(metric, performance.now() - killed);
  await untilMoves(place, 'ada');
  await untilMoves(place, 'bob');
  assert.deepEqual(await witness.lost(), []);
  assert.ok(witness.count > 0);
}

test("the village recovers when an agent's pod is deleted by force", async () => {
  const { pod, cycle } = await untilReady(place, 'bob');
  const killed = performance.now();
  await place.kubectl(['delete', 'pod', pod ?? '', '--grace-period=0', '--force']);
  await until('another pod is Ready', async () => {
    const agent = await agentOf(place, 'bob');
    return (
      agent?.why.ready === true && agent.status.online && agent.cycle > cycle && agent.pod !== null && agent.pod !== pod
    );
  });
  await settle('podBackMs', killed);
});

test("the village recovers when an agent's process dies", async () => {
  const { pod, cycle } = await untilReady(place, 'bob');
  await crash(pod ?? '');
  const agent = await untilReady(place, 'bob');
  assert.deepEqual({ pod: agent.pod, cycle: agent.cycle }, { pod, cycle }, 'the same pod starts its resident again');
  await itselfAgain();
});

async function leaderPod(): Promise<string> {
  const lease = await getObject<{ readonly spec: { readonly holderIdentity: string } }>(
    place,
    'lease',
    'hamlet-operator',
  );
  const [uid = ''] = (lease?.spec.holderIdentity ?? '').split('_');
  const pods = await place.kubectl([
    'get',
    'pods',
    '-l',
    'app.kubernetes.io/component=operator',
    '-o',
    'jsonpath={range .items[*]}{.metadata.uid} {.metadata.name}{"\\n"}{end}',
  ]);
  return (
    pods
      .split('\n')
      .find((line) => line.startsWith(uid))
      ?.split(' ')[1] ?? ''
  );
}

test('the village recovers when the leading operator dies', async () => {
  const { cycle } = await untilReady(place, 'bob');
  const killed = await crash(await leaderPod());
  await reboot('bob');
  await until('a reboot is acted on', async () => ((await agentOf(place, 'bob'))?.cycle ?? 0) > cycle);
  await settle('operatorBackMs', killed);
});

test('the api dies', async () => {
  const killed = await crash(await podNamed('api'));
  await settle('apiBackMs', killed);
});

test('the village recovers when Postgres dies', async () => {
  const killed = await crash('hamlet-postgres-0');
  await settle('postgresBackMs', killed);
});

test('Redis dies', async () => {
  const killed = await crash('hamlet-redis-0');
  await settle('redisBackMs', killed);
});

test('the village recovers when a kubelet dies; its GPUs are still there afterwards', async () => {
  const node = (await untilReady(place, 'bob')).node ?? '';
  const gpus = (await getObject<Node>(place, 'node', node))?.status.allocatable['nvidia.com/gpu'];
  assert.equal(gpus, '1');
  const killed = performance.now();
  const killedAt = Date.now();
  await killComponent('kubelet', node);
  await until(
    `the kubelet of ${node} reports again`,
    async () => {
      const ready = (await getObject<Node>(place, 'node', node))?.status.conditions.find(
        ({ type }) => type === 'Ready',
      );
      return ready?.status === 'True' && Date.parse(ready.lastHeartbeatTime) > killedAt;
    },
    { capMs: KUBELET_CAP_MS },
  );
  // This proves that the kubelet works: only it can start a pod on its node.
  const { cycle } = await untilReady(place, 'bob', KUBELET_CAP_MS);
  await reboot('bob');
  await until('a new cycle', async () => ((await agentOf(place, 'bob'))?.cycle ?? 0) > cycle, {
    capMs: KUBELET_CAP_MS,
  });
  await settle('kubeletBackMs', killed);
  await until(
    'the GPUs are advertised',
    async () => (await getObject<Node>(place, 'node', node))?.status.allocatable['nvidia.com/gpu'] === gpus,
  );
});
