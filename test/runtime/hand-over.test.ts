/** Two operators as processes, on a real control plane: an upgrade, a stolen lease, a lease that the holder loses. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, afterEach, before, test } from '../env/cluster-test.ts';
import { LEASES, type KubeObject } from '@hamlet/kube';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { until } from '@hamlet/test/env/until';
import { fakeKubelet, type FakeKubelet } from '../../operator/src/testing/fake-kubelet.ts';
import { fakeVillage, type FakeVillage } from '../../operator/src/testing/fake-village.ts';
import { figure, operatorToken, startOperatorProcess, type OperatorProcess } from './operator-process.ts';
import { FaultProxy } from './proxy/fault-proxy.ts';
import { leases, through, silence } from './proxy/faults.ts';
import { versionBefore, type VersionBefore } from './version-before.ts';
import { Hands, unsettled } from './village-objects.ts';

type Lease = KubeObject & { readonly spec: { readonly holderIdentity: string; readonly leaseTransitions: number } };

const LEASE = 'hamlet-operator';
/** Pause between two rounds of changes: short enough that some changes fall into the handover. */
const CHANGE_MS = 200;

let server: TestApiServer;
let hands: Hands;
let village: FakeVillage;
let kubelet: FakeKubelet;
let token: string;
let earlier: VersionBefore | undefined;
const running: { readonly operator: OperatorProcess; readonly proxy: FaultProxy }[] = [];

before(async () => {
  server = await testApiServer('control-plane');
  await server.installCrds();
  hands = new Hands(server.client, await server.namespace());
  await hands.createTier();
  village = await fakeVillage();
  kubelet = await fakeKubelet(server.client, 'sparky1', () => undefined);
  token = await operatorToken(server.client, hands.namespace);
  earlier = versionBefore();
});

afterEach(async () => {
  for (const { operator, proxy } of running.splice(0)) {
    await operator.end();
    await proxy.stop();
  }
});

after(async () => {
  await kubelet.stop();
  await village.stop();
  await server.remove();
  earlier?.remove();
});

/** A process behind a separate proxy, which counts the requests of that process. */
async function start(main?: string): Promise<(typeof running)[number]> {
  const proxy = new FaultProxy(server.connection);
  await proxy.start();
  const operator = await startOperatorProcess({
    server: proxy.url,
    token,
    namespace: hands.namespace,
    apiUrl: village.url,
    ...(main === undefined ? {} : { main }),
  });
  const one = { operator, proxy };
  running.push(one);
  return one;
}

const leads = async ({ operator }: (typeof running)[number]): Promise<boolean> =>
  figure(await operator.read('/metrics'), 'hamlet_operator_leader') === 1;
/** Waits until the process leads; if the process ends instead, throws with its last output. */
async function untilLeads(what: string, one: (typeof running)[number]): Promise<void> {
  const died = one.operator.ended.then((code) => {
    throw new Error(`${what}: ended with ${code}\n${one.operator.output().slice(-4_000)}`);
  });
  await Promise.race([until(what, () => leads(one)), died]);
  died.catch(() => undefined);
}

const writesOf = ({ proxy }: (typeof running)[number]): number =>
  proxy.log.filter(({ method, resource }) => method !== 'GET' && resource !== 'leases').length;
const lease = (): Promise<Lease> => server.client.get<Lease>(LEASES, { namespace: hands.namespace, name: LEASE });

async function settled(what: string): Promise<void> {
  let last: readonly string[] = [];
  await until(what, async () => (last = unsettled(await hands.agents(), await hands.pods())).length === 0).catch(
    (error: unknown) => {
      throw new Error(
        `${last.join('\n')}\n${running.map(({ operator }) => operator.output().slice(-2_000)).join('\n---\n')}`,
        { cause: error },
      );
    },
  );
}

for (const [from, to] of [
  ['before', 'this'],
  ['this', 'before'],
] as const) {
  const title = `the version ${to} waits while the version ${from} works, and takes over when that ends: nothing is missed, nothing done twice`;
  test(title, async (t) => {
    if (earlier === undefined) {
      t.skip(
        'git has no commit before the last change to the operator: fetch the history of this shallow clone with git fetch --unshallow',
      );
      return;
    }
    t.diagnostic(`the version before is ${earlier.commit}`);
    const mains = { this: undefined, before: earlier.main };
    await handOver(await start(mains[from]), () => start(mains[to]), `${from}-`);
  });
}

/** Makes changes without a pause while the old leader ends and the next takes over. */
async function handOver(
  old: (typeof running)[number],
  startNext: () => Promise<(typeof running)[number]>,
  prefix: string,
): Promise<void> {
  await untilLeads('the old one leads', old);
  const names = ['ada', 'bob', 'cleo'].map((name) => prefix + name);
  for (const name of names) await hands.create(name);
  await settled('three agents');
  const { spec: before } = await lease();
  const next = await startNext();
  await until('the new process is ready', async () => (await next.operator.read('/readyz')).includes('[+] running ok'));
  assert.equal(await leads(next), false);
  assert.equal(writesOf(next), 0, 'the process that does not lead writes nothing');

  let changes = 0;
  const changing = new AbortController();
  const hand = (async () => {
    for (; !changing.signal.aborted; changes += 1) {
      await hands.create(`${prefix}guest-${changes}`);
      if (changes >= 2) await hands.remove(`${prefix}guest-${changes - 2}`);
      await hands.patch(`${prefix}ada`, {
        rebootedAt: new Date(1_700_000_000_000 + changes * 1_000).toISOString().replace('.000Z', 'Z'),
      });
      await sleep(CHANGE_MS);
    }
  })();
  const code = await old.operator.end();
  const writesOfOld = writesOf(old);
  await untilLeads('the new one leads', next);
  const atHandOver = changes;
  await until('changes after the hand-over', async () => changes > atHandOver + 5);
  changing.abort();
  await hand;

  assert.equal(code, 0);
  await settled('all requested changes before, during and after');
  assert.equal(writesOf(old), writesOfOld, 'the old process writes nothing after its end');
  const { spec: now } = await lease();
  assert.equal(now.leaseTransitions, before.leaseTransitions + 1);
  const made = running
    .flatMap(({ proxy }) => proxy.log)
    .filter(({ method, resource, status }) => method === 'POST' && resource === 'pods' && status === 409);
  assert.ok(made.length <= 1, `${made.length} pods were wanted twice`);
  const log = old.operator.output();
  assert.match(log, /ending/);
  assert.doesNotMatch(log, /did not end within/);
}

test('a stolen lease: the leader writes nothing more and ends; the next leader has a greater fence', async () => {
  const robbed = await start();
  await untilLeads('it leads', robbed);
  await settled('before');
  const { metadata: _metadata, spec } = await lease();
  await until('the theft', async () => {
    const held = await lease();
    await server.client.replace(
      LEASES,
      {
        ...held,
        spec: {
          ...held.spec,
          holderIdentity: 'thief',
          leaseTransitions: spec.leaseTransitions + 1,
          leaseDurationSeconds: 3,
        },
      },
      { namespace: hands.namespace, name: LEASE },
    );
    return true;
  });
  assert.equal(await robbed.operator.ended, 1);
  const writes = writesOf(robbed);
  await hands.create('late');
  const next = await start();
  await untilLeads('the next one leads', next);
  await settled('the agent that was created in the meantime');
  assert.equal(writesOf(robbed), writes);
  assert.equal((await lease()).spec.leaseTransitions, spec.leaseTransitions + 2);
});

test('unanswered renewals: writes wait, the other operator takes over, and the first never writes again', async () => {
  const cut = await start();
  await untilLeads('it leads', cut);
  const other = await start();
  cut.proxy.inject(through(leases, Number.POSITIVE_INFINITY, silence));
  for (const watch of cut.proxy.watches) if (watch.exchange.resource === 'leases') watch.freeze();
  await until('the process knows that it may not write', async () => !(await leads(cut)));
  const writes = writesOf(cut);
  await hands.create('meanwhile');
  await untilLeads('the other leads', other);
  await settled('the agent that was created in the meantime');
  assert.equal(writesOf(cut), writes);
  cut.proxy.heal();
  assert.equal(await cut.operator.ended, 1, 'the process notices the loss of the lease, and ends');
  assert.equal(writesOf(cut), writes);
});

test('a lease that is late for a moment and not taken: the leader continues with its fence', async () => {
  const one = await start();
  await untilLeads('it leads', one);
  const { spec } = await lease();
  await one.proxy.refuse();
  await hands.create('patient');
  await until('the process may not write', async () => !(await leads(one)));
  await one.proxy.start();
  await untilLeads('it leads again', one);
  await settled('the agent that was created in the meantime');
  assert.equal((await lease()).spec.leaseTransitions, spec.leaseTransitions);
});
