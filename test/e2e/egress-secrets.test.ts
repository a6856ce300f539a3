/**
 * An agent's pod contains none of the secrets that the village uses for it, and its hands do not have the resident's
 * token.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { closeVillage, openVillage, type Outside, startOutside, TLS_PORT } from '../env/egress/outside.ts';
import { localPlace, secretValue } from '../../local/village/kubectl.ts';
import { until } from '../env/until.ts';
import { applyAgent, deleteAgents, mainProcessOf, untilReady, village, type Village } from '../env/village.ts';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';

type Container = 'resident' | 'hands';

/** Bytes of memory that are read at once. A text may span two parts. */
const PART_BYTES = 4 << 20;
const OVERLAP_BYTES = 512;
/** Skips larger mappings, which are reserved and unused. */
const MAPPING_BYTES = 512 << 20;

async function processesOf(place: Village, pod: string, container: Container): Promise<readonly number[]> {
  const main = await mainProcessOf(place, pod, container);
  const space = readlinkSync(`/proc/${main}/ns/pid`);
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/ns/pid`) === space;
      } catch {
        return false;
      }
    });
}

interface Mapping {
  readonly begin: number;
  readonly end: number;
}

function mappingsOf(pid: number): readonly Mapping[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, begin, end, name = ''] = /^([0-9a-f]+)-([0-9a-f]+) rw..\s\S+\s\S+\s\d+\s*(.*)$/.exec(line) ?? [];
      if (begin === undefined || end === undefined || name.startsWith('/dev/')) return [];
      const mapping = { begin: Number.parseInt(begin, 16), end: Number.parseInt(end, 16) };
      return mapping.end - mapping.begin > MAPPING_BYTES ? [] : [mapping];
    });
}

function inMapping(memory: number, { begin, end }: Mapping, wanted: ReadonlySet<string>): readonly string[] {
  const found = new Set<string>();
  const buffer = Buffer.alloc(PART_BYTES);
  for (let at = begin; at < end; at += PART_BYTES - OVERLAP_BYTES) {
    let length = 0;
    try {
      length = readSync(memory, buffer, 0, Math.min(PART_BYTES, end - at), at);
    } catch {
      continue;
    }
    const part = buffer.subarray(0, length);
    for (const text of wanted)
      if (part.includes(text, 0, 'latin1') || part.includes(text, 0, 'utf16le')) found.add(text);
  }
  return [...found];
}

/** Returns the texts that are in the writable memory or the environment of a process. */
function textsInProcess(pid: number, texts: readonly string[]): readonly string[] {
  const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
  const found = new Set(texts.filter((text) => environment.includes(text)));
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const mapping of mappingsOf(pid))
      for (const text of inMapping(memory, mapping, new Set(texts))) found.add(text);
  } finally {
    closeSync(memory);
  }
  return [...found];
}

/** Folders whose files may change while a pod runs. The rest is the image. */
const FOLDERS = [
  '/etc',
  '/root',
  '/workspace',
  '/tmp',
  '/var',
  '/run',
  '/dev/shm',
  '/home',
  '/app/.compile-cache',
  '/usr/local/share',
];

/**
 * Files of a container that contain one of the texts. They are sent by standard input, so that no command line has
 * them.
 */
async function filesWith(
  place: Village,
  pod: string,
  { container, texts }: { readonly container: Container; readonly texts: readonly string[] },
): Promise<readonly string[]> {
  const script = `grep -rlasF -D skip -f - ${FOLDERS.join(' ')} 2>/dev/null; true`;
  const output = await place.kubectl(
    ['exec', '-i', pod, '-c', container, '--', 'sh', '-c', script],
    `${texts.join('\n')}\n`,
  );
  return output.split('\n').filter((line) => line !== '');
}

const NAME = `sam-${process.pid}`;
const SECRET = 'egress-canary';
const CREDENTIAL = `canary-${process.pid}`;
const canary = `canary-${randomBytes(24).toString('hex')}`;
const providerKey = `sk-${randomBytes(24).toString('hex')}`;
const CONTAINERS: readonly Container[] = ['resident', 'hands'];

let place: Village;
let outside: Outside;
let pod = '';
let authorityKey = '';

before(async () => {
  place = await village();
  outside = await startOutside();
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: SECRET,
      labels: { 'hamlet.village/egress': 'true' },
      annotations: { 'hamlet.village/egress-hosts': 'read.test' },
    },
    stringData: { value: canary },
  };
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(secret));
  await openVillage(place, outside, {
    names: { [outside.address]: ['read.test'] },
    openings: [{ host: 'read.test', ports: [TLS_PORT] }],
    more: { secretNames: [SECRET] },
  });
  const rule = { host: 'read.test', ports: [TLS_PORT], methods: ['GET'], secret: SECRET };
  await applyAgent(place, NAME, { egress: { allow: [rule] } });
  pod = (await untilReady(place, NAME)).pod ?? '';
  await place.admin.putModelCredential({ name: CREDENTIAL, agent_id: NAME, key: providerKey });
  const pem = await secretValue(await localPlace(place.namespace), 'hamlet-ca', 'tls.key');
  authorityKey = pem.split('\n')[1] ?? '';
});
after(async () => {
  await place.admin.raw.deleteModelCredential({ name: CREDENTIAL, agent_id: NAME });
  await deleteAgents(place, [NAME]);
  await place.tryKubectl(['delete', 'secret', SECRET, '--ignore-not-found']);
  await outside.close();
  await closeVillage(place);
});

const inHands = (...command: readonly string[]): Promise<string> =>
  place.kubectl(['exec', pod, '-c', 'hands', '--', ...command]);

test('the server receives the secret, and its answer is withheld if it echoes the secret', async () => {
  const placeholder = `hamlet-placeholder-${SECRET}`;
  const ask = ['curl', '-sSi', '-x', 'http://127.0.0.1:3128', '-H', `Authorization: Bearer ${placeholder}`];
  // The API reads a new secret within seconds.
  const answer = await until('the server gets the request', async () => {
    const text = await inHands(...ask, `https://read.test:${TLS_PORT}/with-secret`).catch((error) => String(error));
    return outside.hits.some(({ path }) => path === '/with-secret') ? text : undefined;
  });
  assert.equal(outside.hits.at(-1)?.headers.authorization, `Bearer ${canary}`);
  assert.doesNotMatch(answer, new RegExp(canary));
  assert.equal(
    outside.hits.at(-1)?.headers['proxy-authorization'],
    undefined,
    "the agent's token stays inside the village",
  );
});

test('no secret of the village is in the memory, the environment or a file of the pod', async (t) => {
  const secrets = [canary, providerKey, authorityKey];
  assert.ok(secrets.every((text) => text.length > 30));
  for (const container of CONTAINERS) {
    const pids = await processesOf(place, pod, container);
    assert.ok(pids.length > 0, container);
    for (const pid of pids) assert.deepEqual(textsInProcess(pid, secrets), [], `${container}: process ${pid}`);
    assert.deepEqual(await filesWith(place, pod, { container, texts: secrets }), [], container);
    t.diagnostic(`${container}: ${pids.length} processes`);
  }
});

/**
 * Control: the search finds a text that a program of the hands has. Without it, an empty result would prove nothing.
 */
async function assertSearchFinds(): Promise<void> {
  const mark = randomBytes(24).toString('hex');
  const found = `/tmp/found-${process.pid}`;
  const wait = `for i in $(seq 1500); do [ -e ${found} ] && break; sleep 0.2; done`;
  const waiting = inHands('env', `HAMLET_MARK=${mark}`, 'sh', '-c', wait);
  await until('the search finds a text in a process of the hands', async () => {
    const pids = await processesOf(place, pod, 'hands');
    return pids.some((pid) => textsInProcess(pid, [mark]).length === 1) ? true : undefined;
  });
  await inHands('touch', found);
  await waiting;
}

test('only the resident has the token of the agent, and the hands cannot read the journal', async () => {
  const token = await place.kubectl(['exec', pod, '-c', 'resident', '--', 'cat', '/var/run/secrets/hamlet/token']);
  const signature = token.trim().split('.').at(-1) ?? '';
  assert.ok(signature.length > 40);
  assert.deepEqual(await filesWith(place, pod, { container: 'hands', texts: [signature] }), []);
  for (const pid of await processesOf(place, pod, 'hands')) assert.deepEqual(textsInProcess(pid, [signature]), []);
  await assertSearchFinds();
  const paths = ['/var/run/secrets/hamlet', '/var/lib/hamlet', '/root/.mcp-memory/life.jsonl'];
  for (const path of paths)
    assert.equal(await inHands('sh', '-c', `test -e ${path} && echo there || echo none`), 'none', path);
  assert.equal(
    await inHands('sh', '-c', "grep -las resident/src/[m]ain /proc/[0-9]*/cmdline | wc -l | tr -d ' '"),
    '0',
    'no process of the resident is seen',
  );
});
