/** The rights of an agent's pod: root inside, an unprivileged user outside. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
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
      readonly securityContext: { readonly privileged?: boolean; readonly allowPrivilegeEscalation?: boolean };
      readonly resources: { readonly limits: Readonly<Record<string, string>> };
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

/** Runs a command in the pod of an agent. */
async function exec(agent: string, ...command: string[]): Promise<string> {
  return place.kubectl(['exec', pods.get(agent)?.name ?? '', '--', ...command]);
}

test('the two agents live on the two nodes', () => {
  const nodes = [...pods.values()].map(({ pod }) => pod.spec.nodeName);
  assert.deepEqual(nodes.toSorted(), ['sparky1', 'sparky2']);
});

test('root in the pod is an unprivileged user of the node, in a range of its own', async () => {
  const ranges = [];
  for (const agent of AGENTS) {
    assert.equal(await exec(agent, 'id', '-u'), '0');
    const [inside, outside, count] = (await exec(agent, 'cat', '/proc/self/uid_map')).trim().split(/\s+/).map(Number);
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
    const [container] = pod.spec.containers;
    assert.equal(container?.securityContext.privileged, false);
    assert.equal(container.securityContext.allowPrivilegeEscalation, false);
    assert.equal(pod.spec.hostNetwork ?? false, false);
    assert.equal(pod.spec.hostPID ?? false, false);
    assert.deepEqual(
      pod.spec.volumes.filter((volume) => 'hostPath' in volume),
      [],
    );
  }
});

test('seccomp filters its system calls and privileges cannot grow', async () => {
  for (const agent of AGENTS) {
    assert.equal(pods.get(agent)?.pod.spec.securityContext.seccompProfile?.type, 'RuntimeDefault');
    const status = await exec(agent, 'cat', '/proc/1/status');
    assert.match(status, /^Seccomp:\s+2$/m);
    assert.match(status, /^NoNewPrivs:\s+1$/m);
    // CAP_SYS_MODULE (16), CAP_NET_RAW (13) and CAP_SYS_ADMIN (21, mounts for example) are absent.
    const effective = BigInt(`0x${/^CapEff:\s+([0-9a-f]+)$/m.exec(status)?.[1]}`);
    for (const capability of [13n, 16n, 21n])
      assert.equal((effective >> capability) & 1n, 0n, `capability ${capability}`);
  }
});

test('the only token in the pod is for the api alone', async () => {
  for (const agent of AGENTS) {
    assert.equal(pods.get(agent)?.pod.spec.automountServiceAccountToken, false);
    const missing = await place.tryKubectl([
      'exec',
      pods.get(agent)?.name ?? '',
      '--',
      'ls',
      '/var/run/secrets/kubernetes.io',
    ]);
    assert.notEqual(missing.code, 0);
    const token = await exec(agent, 'cat', '/var/run/secrets/hamlet/token');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as {
      aud: string[];
    };
    assert.deepEqual(claims.aud, ['hamlet-api']);
  }
});

test('a tier without a GPU gets none', () => {
  for (const { pod } of pods.values()) {
    assert.deepEqual(Object.keys(pod.spec.containers[0]?.resources.limits ?? {}).toSorted(), [
      'cpu',
      'ephemeral-storage',
      'memory',
    ]);
  }
});
