/** Two operator processes on a real control plane: an upgrade, a stolen lease, a lost lease. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, afterEach, before, test } from '../env/cluster-test.ts';
import { type KubeObject, LEASES } from '@hamlet/kube';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { until } from '@hamlet/test/env/until';
import { fakeKubelet, type FakeKubelet } from '../../operator/src/testing/fake-kubelet.ts';
import { fakeVillage, type FakeVillage } from '../../operator/src/testing/fake-village.ts';
import { figure, type OperatorProcess, operatorToken, startOperatorProcess } from './operator-process.ts';
import { FaultProxy } from './proxy/fault-proxy.ts';
import { leases, silence, through } from './proxy/faults.ts';
import { Hands, unsettled } from './village-objects.ts';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGES = ['operator', 'kube', 'api/contract', 'api/core'];
/** Tests are not part of a version. */
const SOURCES = [...PACKAGES, ':(exclude,glob)**/*.test.ts', ':(exclude,glob)**/testing/**'];
const ARCHIVE_LIMIT_BYTES = 256 << 20;

interface VersionBefore {
  readonly commit: string;
  /** The operator's main file. */
  readonly main: string;
  remove(): void;
}

/**
 * Unpacks the newest commit whose operator differs from the work tree's, with the npm packages that are installed
 * here. Undefined when git does not have that commit: in a shallow clone, or without a repository.
 */
function versionBefore(): VersionBefore | undefined {
  const commit = commitBefore();
  if (commit === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-test-before-'));
  const archive = execFileSync('git', ['archive', commit, ...PACKAGES, 'package.json'], {
    cwd: ROOT,
    maxBuffer: ARCHIVE_LIMIT_BYTES,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  linkPackages(folder);
  return {
    commit,
    main: join(folder, 'operator/src/main.ts'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function commitBefore(): string | undefined {
  try {
    if (git('status', '--porcelain', '--untracked-files=no', '--', ...SOURCES) !== '') return git('rev-parse', 'HEAD');
    const newest = git('log', '-1', '--format=%H', '--', ...SOURCES);
    // The oldest commit of a shallow clone has no parent, and looks like a commit that changed everything.
    return git('rev-parse', '--verify', '--quiet', `${newest}^`);
  } catch {
    return undefined;
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** Links the packages: the project's own packages are those of the commit, all others are the installed ones. */
function linkPackages(folder: string): void {
  const [installed, linked] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(join(linked, '@hamlet'), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (!name.startsWith('.') && name !== '@hamlet') symlinkSync(join(installed, name), join(linked, name));
  }
  for (const path of PACKAGES) symlinkSync(join(folder, path), join(linked, '@hamlet', path.replace('api/', '')));
}

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
    throw new Error(`${what}: ended with code ${code}\n${one.operator.output().slice(-4_000)}`);
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
  const title = `version ${to} waits while version ${from} leads, and takes over when it ends; nothing is missed or done twice`;
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

/** Makes changes continuously while the old leader ends and the next takes over. */
async function handOver(
  old: (typeof running)[number],
  startNext: () => Promise<(typeof running)[number]>,
  prefix: string,
): Promise<void> {
  await untilLeads('the old process leads', old);
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
  await untilLeads('the new process leads', next);
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

test('when its lease is stolen, the leader stops writing and ends; the next leader has a greater fence', async () => {
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

test('when renewals get no answer, writes wait, the other operator takes over, and the first never writes again', async () => {
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

test('when a renewal is late and no other process took the lease, the leader continues with its fence', async () => {
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
