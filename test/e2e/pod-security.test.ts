/** The rights of an agent's pod: hands that are root inside and an unprivileged user outside, and a resident without rights. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { pluck } from '../env/pluck.ts';
import { askHands, idOf, runIn, waitFor, type HandsAnswer } from '../env/hands/ask-hands.ts';
import { untilReady, village, type Village } from '../env/village.ts';

interface Pod {
  readonly spec: {
    readonly nodeName: string;
    readonly hostUsers?: boolean;
    readonly hostNetwork?: boolean;
    readonly hostPID?: boolean;
    readonly automountServiceAccountToken?: boolean;
    readonly securityContext: { readonly seccompProfile?: { readonly type: string } };
    readonly volumes: readonly Readonly<Record<string, unknown>>[];
    readonly containers: readonly {
      readonly name: string;
      readonly securityContext: { readonly privileged?: boolean; readonly allowPrivilegeEscalation?: boolean };
    }[];
  };
}

const AGENTS = ['ada', 'bob'];
let place: Village;
const pods = new Map<string, { name: string; pod: Pod }>();

before(async () => {
  place = await village();
  for (const agent of AGENTS) {
    const name = (await untilReady(place, agent)).pod ?? '';
    pods.set(agent, { name, pod: JSON.parse(await place.kubectl(['get', 'pod', name, '-o', 'json'])) as Pod });
  }
});

const CONTAINERS = ['hands', 'resident'] as const;
type Container = (typeof CONTAINERS)[number];

const argumentsOf = (agent: string, container: Container, command: readonly string[]): readonly string[] => [
  'exec',
  pods.get(agent)?.name ?? '',
  '-c',
  container,
  '--',
  ...command,
];

async function exec(agent: string, container: Container, ...command: string[]): Promise<string> {
  return place.kubectl(argumentsOf(agent, container, command));
}

async function succeeds(agent: string, container: Container, ...command: string[]): Promise<boolean> {
  return (await place.tryKubectl(argumentsOf(agent, container, command))).code === 0;
}

test('the two agents live on the two nodes', () => {
  const nodes = [...pods.values()].map(({ pod }) => pod.spec.nodeName);
  assert.deepEqual(nodes.toSorted(), ['sparky1', 'sparky2']);
});

test('root in the hands is an unprivileged user of the node, in its own id range', async () => {
  const ranges = [];
  for (const agent of AGENTS) {
    assert.equal(await exec(agent, 'hands', 'id', '-u'), '0');
    assert.equal(await exec(agent, 'resident', 'id', '-u'), '1000');
    const [inside, outside, count] = (await exec(agent, 'hands', 'cat', '/proc/self/uid_map'))
      .trim()
      .split(/\s+/)
      .map(Number);
    assert.equal(inside, 0);
    assert.ok((outside ?? 0) >= 65_536, `root is ${outside} outside`);
    assert.equal(count, 65_536);
    ranges.push(`${pods.get(agent)?.pod.spec.nodeName} ${outside}`);
    assert.equal(pods.get(agent)?.pod.spec.hostUsers, false);
  }
  assert.equal(new Set(ranges).size, AGENTS.length);
});

test('the pod is not privileged, and shares and mounts nothing of the node', () => {
  for (const { pod } of pods.values()) {
    assert.deepEqual(pluck(pod.spec.containers, 'name'), CONTAINERS);
    for (const { securityContext } of pod.spec.containers) {
      assert.equal(securityContext.privileged, false);
      assert.equal(securityContext.allowPrivilegeEscalation, false);
    }
    assert.equal(pod.spec.hostNetwork ?? false, false);
    assert.equal(pod.spec.hostPID ?? false, false);
    assert.deepEqual(
      pod.spec.volumes.filter((volume) => 'hostPath' in volume),
      [],
    );
  }
});

test('seccomp filters system calls of the pod, and it cannot gain privileges', async () => {
  for (const agent of AGENTS) {
    assert.equal(pods.get(agent)?.pod.spec.securityContext.seccompProfile?.type, 'RuntimeDefault');
    for (const container of CONTAINERS) {
      const status = await exec(agent, container, 'cat', '/proc/1/status');
      assert.match(status, /^Seccomp:\s+2$/m);
      assert.match(status, /^NoNewPrivs:\s+1$/m);
      // CAP_SYS_MODULE (16), CAP_NET_RAW (13) and CAP_SYS_ADMIN (21, mounts for example) are absent.
      const effective = BigInt(`0x${/^CapEff:\s+([0-9a-f]+)$/m.exec(status)?.[1]}`);
      for (const capability of [13n, 16n, 21n])
        assert.equal((effective >> capability) & 1n, 0n, `capability ${capability}`);
      if (container === 'resident') assert.equal(effective, 0n);
    }
  }
});

test('the only token in the pod is valid only for the api, and the hands do not have it', async () => {
  for (const agent of AGENTS) {
    assert.equal(pods.get(agent)?.pod.spec.automountServiceAccountToken, false);
    for (const container of CONTAINERS)
      assert.equal(await succeeds(agent, container, 'ls', '/var/run/secrets/kubernetes.io'), false);
    assert.equal(await succeeds(agent, 'hands', 'ls', '/var/run/secrets'), false);
    const token = await exec(agent, 'resident', 'cat', '/var/run/secrets/hamlet/token');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as {
      aud: string[];
    };
    assert.deepEqual(claims.aud, ['hamlet-api']);
  }
});

test("the hands cannot see the resident's journal, memory or processes, and the resident cannot see their files", async () => {
  for (const agent of AGENTS) {
    await exec(agent, 'hands', 'sh', '-c', 'echo mine >/workspace/mine && echo mine >/root/mine');
    await exec(agent, 'resident', 'touch', '/root/.mcp-memory/of-the-resident');
    for (const path of ['/var/lib/hamlet', '/root/.mcp-memory/of-the-resident'])
      assert.equal(await succeeds(agent, 'hands', 'ls', path), false, path);
    assert.equal(await exec(agent, 'resident', 'ls', '/workspace'), '');
    assert.equal(await succeeds(agent, 'resident', 'ls', '/root/mine'), false);
    assert.equal(await succeeds(agent, 'resident', 'touch', '/app/file'), false, 'the image is read-only');
    assert.equal(await succeeds(agent, 'resident', 'touch', '/var/lib/hamlet/file'), true);
    assert.match(await exec(agent, 'hands', 'cat', '/proc/1/cmdline'), /hamlet-hands/);
    const commands = await exec(agent, 'hands', 'sh', '-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "');
    assert.doesNotMatch(commands, /resident\/src/);
    await exec(agent, 'hands', 'rm', '/workspace/mine', '/root/mine');
  }
});

/** Listens where the resident would connect if a name led it to the hands, and prints the authorizations that arrive. */
const THIEF = `
  const { createServer } = require('node:net');
  const got = [];
  const take = (socket) => socket.on('error', () => {}).on('data', (data) => got.push(String(data)));
  for (const host of ['127.0.0.2', '127.0.0.1', '::1'])
    for (const port of [3128, 8081, 80]) createServer(take).on('error', () => {}).listen(port, host);
  setTimeout(() => {
    const tokens = got.filter((text) => /authorization/i.test(text));
    console.log(JSON.stringify({ connections: got.length, tokens: tokens.length }));
    process.exit();
  }, 20_000);`;

test('hands that redirect names of the village to themselves get no connection and no token from the resident', async () => {
  const names = '127.0.0.2 hamlet-broker hamlet-api-agents localhost\n';
  const before = await exec('ada', 'hands', 'cat', '/etc/hosts');
  try {
    await exec(
      'ada',
      'hands',
      'sh',
      '-c',
      `printf '${names}' >/etc/hosts; printf 'nameserver 127.0.0.2' >/etc/resolv.conf`,
    );
    const stealing = exec('ada', 'hands', 'node', '-e', THIEF);
    // Each request makes the resident connect to the broker; it also reports to the API within these seconds.
    const asked = exec(
      'ada',
      'hands',
      'sh',
      '-c',
      'for i in 1 2 3 4 5; do sleep 2; curl -sS -x 127.0.0.1:3128 http://x.test/; done',
    );
    assert.match(await asked, /egress_/, 'the real broker answers');
    assert.deepEqual(JSON.parse(await stealing), { connections: 0, tokens: 0 });
  } finally {
    await exec('ada', 'hands', 'sh', '-c', `printf '%s' "$0" >/etc/hosts`, before);
  }
});

test('hands and resident cannot act on each other through anything that kubelet and runtime share between them', async () => {
  const hands = (script: string): Promise<string> => exec('ada', 'hands', 'sh', '-c', script);
  const refused = async (script: string, what: string): Promise<void> =>
    assert.equal(await succeeds('ada', 'hands', 'sh', '-c', script), false, what);
  assert.doesNotMatch(await hands('cat /proc/net/unix'), / @/, 'no abstract socket of the resident');
  assert.equal(await hands('ls /dev/shm'), '', 'the resident keeps nothing in shared memory');
  await refused('echo /tmp/x >/proc/sys/kernel/core_pattern', 'core patterns');
  await refused('echo 1 >/proc/sys/kernel/yama/ptrace_scope', 'rules of ptrace');
  // Version 1 has a folder for each controller below a file system of the container's own.
  await refused('cd /sys/fs/cgroup; test -d memory && cd memory; mkdir mine', 'control groups');
  await refused(
    'for p in /proc/[0-9]*; do test -e $p/root/var/run/secrets/hamlet && exit 0; done; exit 1',
    'the root of another process',
  );
  await refused('mount -t proc proc /mnt', 'mounts');
  const bind =
    "require('net').createServer().listen(8081, '10.96.0.11', () => process.exit(0)).on('error', () => process.exit(1))";
  await refused(`node -e "${bind}"`, 'addresses of the village');
  await hands('echo stopped >/dev/termination-log');
  assert.ok(!(await exec('ada', 'resident', 'cat', '/proc/1/cmdline')).includes('hamlet-hands'), 'own processes');
});

const ask = async (agent: string, ...requests: readonly object[]): Promise<readonly HandsAnswer[]> =>
  askHands(place, pods.get(agent)?.name ?? '', requests);

const run = (process: string, script: string): object => runIn(process, ['sh', '-c', script]);
const close = { op: 'close', args: { owner: 'e2e' } };

test('the resident starts a program in the hands, as root and in the workspace, and kills it', async () => {
  const [hello, , ended, , killed, closed] = await ask(
    'ada',
    run('one', 'id -u; pwd'),
    waitFor('one'),
    run('two', 'sleep 600'),
    { op: 'kill', args: { process: idOf('two') } },
    close,
  );
  assert.equal(hello?.ok, true);
  assert.equal(Buffer.from(ended?.data.stdout?.head ?? '', 'base64').toString(), '0\n/workspace\n');
  assert.deepEqual([ended?.data.exit?.code, killed?.data.exit?.cause, closed?.ok], [0, 'killed', true]);
});
