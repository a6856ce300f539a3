/** `make doctor`: checks the machine and the village, and prints a fix for each fault. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { areProgramsBuilt, clusterStatus } from '../cluster.ts';
import { run, tryRun } from '../command.ts';
import { kubectl, localPlace } from '../kubectl.ts';
import { NODE, STATE } from '../paths.ts';
import type { Settings } from '../settings.ts';
import { MACHINE_CHECKS, right, wrong, type Check, type Finding } from './machine.ts';

const PACKAGES =
  'buildah debootstrap containernetworking-plugins iproute2 nftables conntrack util-linux e2fsprogs'.split(' ');
const TEST_PACKAGES = ['chromium', 'prometheus', 'redis-server'];

/** Prints the result of each check. Returns true if the machine has everything that `make up` requires. */
export async function doctor(settings: Settings): Promise<boolean> {
  console.log('Requirements of make up');
  const machine = await show(MACHINE_CHECKS);
  console.log('\nInstalled by make up and make test, and state of the village');
  await show(villageChecks(settings));
  console.log(machine ? '\nThis machine can run the village.' : '\nThis machine cannot run the village yet.');
  return machine;
}

async function show(checks: readonly Check[]): Promise<boolean> {
  let fine = true;
  for (const check of checks) {
    const finding = await look(check);
    fine &&= finding.ok;
    const mark = finding.ok ? styleText('green', '✓') : styleText('red', '✗');
    console.log(`  ${mark} ${check.name}: ${finding.found}`);
    if (!finding.ok && finding.fix !== undefined) console.log(`      fix: ${finding.fix}`);
  }
  return fine;
}

async function look(check: Check): Promise<Finding> {
  try {
    return await check.look();
  } catch (error) {
    return { ok: false, found: error instanceof Error ? error.message : String(error) };
  }
}

/** Checks of the programs that `make up` and `make test` install, and of the running village. */
function villageChecks(settings: Settings): readonly Check[] {
  return [
    { name: 'Node 26', look: node26 },
    { name: 'Debian packages of the village', look: () => debianPackages(PACKAGES, 'up') },
    { name: 'Debian packages of the tests', look: () => debianPackages(TEST_PACKAGES, 'test') },
    { name: 'programs of the cluster', look: programs },
    { name: "sizes of agents' volumes", look: loopDevices },
    { name: `port ${settings.port}`, look: () => port(settings) },
    { name: 'cluster', look: cluster },
    { name: 'kubeconfig', look: () => kubeconfig(settings) },
    { name: 'api', look: () => api(settings) },
    { name: 'agents', look: () => agents(settings) },
  ];
}

async function node26(): Promise<Finding> {
  if (!existsSync(NODE)) return wrong('not installed', 'npm ci');
  return right(await run(NODE, ['--version']));
}

async function debianPackages(names: readonly string[], part: string): Promise<Finding> {
  const { stdout } = await tryRun('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n', ...names]);
  const missing = names.filter((name) => !stdout.split('\n').includes(`${name} installed`));
  return missing.length === 0
    ? right(names.join(' '))
    : wrong(`missing: ${missing.join(' ')}`, `bash local/village/packages.sh ${part} (make ${part} does it)`);
}

async function programs(): Promise<Finding> {
  return (await areProgramsBuilt())
    ? right('built')
    : wrong('not built', 'bash local/cluster/build.sh (make up does it)');
}

/** Without loop devices the cluster makes plain folders, in which an agent could fill the disk of the machine. */
function loopDevices(): Finding {
  return existsSync('/dev/loop-control')
    ? right('enforced')
    : wrong('not enforced: this kernel has no loop devices', 'modprobe loop, then make down and make up');
}

async function port({ port: wanted }: Settings): Promise<Finding> {
  const status = (await areProgramsBuilt()) ? await clusterStatus() : undefined;
  const own = status?.forwards?.some(({ listen }) => listen.endsWith(`:${wanted}`)) ?? false;
  if (own) return right('forwarded to the village');
  const free = await new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(wanted, '127.0.0.1', () => server.close(() => resolve(true)));
  });
  return free ? right('free') : wrong('in use by another program', 'end that program, or run make up PORT=another');
}

async function cluster(): Promise<Finding> {
  if (!(await areProgramsBuilt())) return wrong('not built', 'make up');
  const status = await clusterStatus();
  if (status === undefined) return wrong('not running', 'make up');
  const down = status.components.filter(({ pid }) => pid === 0).map(({ name, node }) => `${name} ${node}`.trim());
  if (down.length > 0)
    return wrong(`down: ${down.join(', ')}`, `make up; logs are in ${join(status.spec.state, 'logs')}`);
  return status.phase === 'ready' ? right(`${status.components.length} components up`) : wrong(status.phase, 'make up');
}

const READY = '.status.conditions[?(@.type=="Ready")]';

/** The objects of a kind, each as the values of these fields. */
async function rowsOf(namespace: string, kind: string, fields: readonly string[]): Promise<readonly string[][]> {
  const columns = fields.map((field, index) => `C${index}:${field}`).join(',');
  const args = ['get', kind, '--no-headers', '-o', `custom-columns=${columns}`];
  const text = await kubectl(await localPlace(namespace), args);
  return text.split('\n').flatMap((line) => (line === '' ? [] : [line.trim().split(/\s+/)]));
}

async function kubeconfig({ namespace }: Settings): Promise<Finding> {
  try {
    const nodes = await rowsOf(namespace, 'nodes', ['.metadata.name', `${READY}.status`]);
    const bad = nodes.filter(([, ready]) => ready !== 'True').map(([name]) => name);
    return bad.length === 0 && nodes.length > 0
      ? right(`nodes ${nodes.map(([name]) => name).join(' ')} ready`)
      : wrong(`not ready: ${bad.join(' ')}`, 'make up');
  } catch {
    return wrong('the API server does not answer', 'make up');
  }
}

async function api({ port: wanted }: Settings): Promise<Finding> {
  try {
    const response = await fetch(`http://127.0.0.1:${wanted}/readyz?verbose`, { signal: AbortSignal.timeout(5_000) });
    return response.ok
      ? right('ready')
      : wrong(`${response.status} ${(await response.text()).slice(0, 200)}`, 'make logs WHO=api');
  } catch {
    return wrong('does not answer', existsSync(join(STATE, 'up.json')) ? 'make logs WHO=api, then make up' : 'make up');
  }
}

async function agents({ namespace }: Settings): Promise<Finding> {
  try {
    const rows = await rowsOf(namespace, 'agents', [
      '.metadata.name',
      '.spec.power',
      `${READY}.status`,
      `${READY}.reason`,
    ]);
    const bad = rows.filter(([, power, ready]) => power !== 'Asleep' && ready !== 'True');
    if (bad.length > 0)
      return wrong(
        bad.map(([name, , , why]) => `${name}: ${why}`).join(', '),
        `kubectl -n ${namespace} describe agent ${bad[0]?.[0]}`,
      );
    // kubectl prints <none> for an absent field; Awake is the default of spec.power.
    return right(rows.map(([name, power]) => `${name} ${power === '<none>' ? 'Awake' : power}`).join(', ') || 'none');
  } catch {
    return wrong('the API server does not answer', 'make up');
  }
}
