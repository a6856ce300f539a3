/**
 * Hands that misuse processes, logs, memory and disk harm only themselves: not their resident, other agents or nodes.
 */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { clusterStatus } from '../../local/village/cluster.ts';
import { until } from '../env/until.ts';
import { askHands, runIn, waitFor, type HandsAnswer } from '../env/hands/ask-hands.ts';
import type { ContainerRun, Village } from '../env/village.ts';
import { agentOf, applyAgent, containerOf, deleteAgents, untilReady, village } from '../env/village.ts';

const NAME = `wild-${process.pid}`;
const GI = 2 ** 30;
const CLOSE = { op: 'close', args: { owner: 'e2e' } };
/** More than the limit of the container's own disk, 4Gi. */
const TOO_MUCH = '5G';

let place: Village;
let neighbours: readonly string[] = [];
let resident: ContainerRun;

const podOf = async (name = NAME): Promise<string> => (await agentOf(place, name))?.pod ?? '';
const ask = async (...requests: readonly object[]): Promise<readonly HandsAnswer[]> =>
  askHands(place, await podOf(), requests);

/** The hands have a quarter of a processor, so 10 GB of output take minutes. */
const FLOOD_MS = 360_000;

/** The record of a program that has ended. */
const endOf = (name: string): Promise<HandsAnswer['data']> =>
  until(
    `${name} has ended`,
    async () => {
      const answer = (await ask(waitFor(name))).at(-1);
      return answer?.data.exit === undefined ? undefined : answer.data;
    },
    { capMs: FLOOD_MS },
  );

/** The containers of the village's other agents. */
async function containersOf(names: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names)
    for (const container of ['resident', 'hands'])
      found.push((await containerOf(place, await podOf(name), container)).id);
  return found;
}

/** Asserts that the resident, the other agents and the nodes are unaffected. */
async function assertOthersLive(): Promise<void> {
  assert.deepEqual(await containersOf(['ada', 'bob']), neighbours, 'other agents still run');
  for (const name of ['ada', 'bob']) await untilReady(place, name);
  const READY =
    '{range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{.status.conditions[?(@.type=="PIDPressure")].status}{.status.conditions[?(@.type=="DiskPressure")].status} {end}';
  assert.equal(
    (await place.kubectl(['get', 'nodes', '-o', `jsonpath=${READY}`])).trim(),
    'TrueFalseFalse TrueFalseFalse',
  );
}

async function assertResidentLives(): Promise<void> {
  assert.deepEqual(await containerOf(place, await podOf(), 'resident'), resident, 'the same resident');
  await untilReady(place, NAME);
}

before(async () => {
  place = await village();
  await applyAgent(place, NAME, { entitlement: { policy: 'Pinned', name: 'tier-0' } });
  for (const name of ['ada', 'bob', NAME]) await untilReady(place, name);
  neighbours = await containersOf(['ada', 'bob']);
  resident = await containerOf(place, await podOf(), 'resident');
});
after(() => deleteAgents(place, [NAME]));

/** The files in which a node keeps the log of the hands. */
async function logFilesOf(pod: string): Promise<readonly { readonly name: string; readonly bytes: number }[]> {
  const facts = await place.kubectl(['get', 'pod', pod, '-o', 'jsonpath={.spec.nodeName} {.metadata.uid}']);
  const [node = '', uid = ''] = facts.split(' ');
  const state = (await clusterStatus())?.spec.state ?? '';
  const folder = join(state, 'nodes', node, 'log/pods', `${place.namespace}_${pod}_${uid}`, 'hands');
  // The kubelet renames and compresses files at any moment.
  return readdirSync(folder).flatMap((name) => {
    const file = statSync(join(folder, name), { throwIfNoEntry: false });
    return file === undefined ? [] : [{ name, bytes: file.size }];
  });
}

/** Starts 3,000 processes, each of which runs a first step and waits, and prints the number of those that started. */
const BOMB = (first: string): string => `
import os, time
started = 0
for i in range(3000):
    try:
        if os.fork() == 0:
            ${first}
            time.sleep(60)
            os._exit(0)
        started += 1
    except OSError:
        pass
print(started)
`;

let probes = 0;
/** Waits until the hands answer: after some of these programs the kubelet starts their container again. */
async function untilHandsAnswer(): Promise<void> {
  await until('the hands answer', async () => {
    const probe = `probe-${(probes += 1)}`;
    const [, , ended] = await ask(runIn(probe, ['true']), waitFor(probe), CLOSE).catch(() => []);
    return ended?.ok === true && ended.data.exit?.code === 0 ? true : undefined;
  });
}
beforeEach(untilHandsAnswer);

test('a fork bomb hits its limit; afterwards programs start again, and the resident is unaffected', async () => {
  const [, , ended] = await ask(runIn('bomb', ['python3', '-c', BOMB('pass')]), waitFor('bomb'));
  const started = Number(Buffer.from(ended?.data.stdout?.head ?? '', 'base64').toString());
  assert.ok(started > 100 && started < 1_500, `${started} processes started`);
  await untilHandsAnswer();
  await assertResidentLives();
  await assertOthersLive();
});

test('a fork bomb that keeps changing its user may end the hands; they restart, and the resident is unaffected', async () => {
  // The bomb hits the limit of the pod, so even the supervisor cannot start a thread.
  await ask(runIn('hops', ['python3', '-c', BOMB('os.setuid(2000 + i)')]), waitFor('hops'), CLOSE).catch(() => []);
  await untilHandsAnswer();
  await assertResidentLives();
  await assertOthersLive();
});

test('10 GB of output is counted, and dropped beyond the stored part', async () => {
  await ask(runIn('flood', ['sh', '-c', 'yes | head -c 10G']));
  const all = await endOf('flood');
  assert.equal(all.exit?.cause, 'exit');
  assert.equal(all.stdout?.bytes, 10 * GI);
  assert.ok((all.stdout?.kept ?? GI) <= 16 * 2 ** 20);
  await assertResidentLives();
});

test('a flood of the container log does not affect the resident, other agents or nodes', async () => {
  // Root of the hands may write where their supervisor writes.
  const flood = 'timeout 15 sh -c "yes flood | head -c 10G >/proc/1/fd/1" || true';
  await ask(runIn('log', ['sh', '-c', flood]), waitFor('log'));
  await assertResidentLives();
  await assertOthersLive();
  const log = await until('the kubelet rotates the log', async () => {
    const files = await logFilesOf(await podOf());
    return files.some(({ name }) => /^\d+\.log\./.test(name)) ? files : undefined;
  });
  const kept = log.reduce((sum, { bytes }) => sum + bytes, 0);
  assert.ok(kept < 2 * GI, `the node keeps ${kept} bytes of it`);
});

test('a program that takes all memory is killed, and the resident is unaffected', async () => {
  const before = (await ask())[0]?.data.boots ?? 0;
  await ask(runIn('greedy', ['tail', '/dev/zero']));
  await until('the greedy program has ended', async () => {
    const [hello, ended] = await ask(waitFor('greedy')).catch(() => []);
    return ended?.data?.exit !== undefined || (hello?.data.boots ?? before) > before ? true : undefined;
  });
  await assertResidentLives();
  await assertOthersLive();
});

test('hands that fill their volume get a disk full error, and the resident is unaffected', async () => {
  const fill = ['dd', 'if=/dev/zero', 'of=/workspace/filled', 'bs=1M'];
  await ask(runIn('full', fill));
  const all = await endOf('full');
  assert.notEqual(all.exit?.code, 0);
  assert.match(Buffer.from(all.stderr?.head ?? '', 'base64').toString(), /No space left on device/);
  await assertResidentLives();
  await assertOthersLive();
  await ask(runIn('emptied', ['rm', '/workspace/filled']), waitFor('emptied'));
  await untilHandsAnswer();
});

/** The supervisor's message about a full disk, which the next ended program also gets. */
const noteOf = async (name: string): Promise<string> => {
  const [, , ended] = await ask(runIn(name, ['true']), waitFor(name));
  return ended?.data?.exit?.note ?? '';
};

test('a file that exceeds the disk of the container at once ends the programs; once it is removed, nothing else is affected', async (context) => {
  const began = performance.now();
  await ask(runIn('jump', ['fallocate', '-l', TOO_MUCH, '/filled']), waitFor('jump'));
  let looks = 0;
  const note = await until('the hands say it', async () => (await noteOf(`look-${(looks += 1)}`)) || undefined);
  context.diagnostic(`said after ${Math.round(performance.now() - began)} ms`);
  assert.match(note, /of at most 4\.0 GiB[^]*All programs were ended/);
  await ask(runIn('unfilled', ['rm', '/filled']), waitFor('unfilled'));
  await untilHandsAnswer();
  await assertResidentLives();
  await assertOthersLive();
});

test('hands that fill the disk of their container lose their programs and can clean up; nothing else is affected', async () => {
  const fill = 'i=0; while :; do i=$((i+1)); head -c 64M /dev/zero >/var/tmp/fill-$i; sleep 0.2; done';
  await ask(runIn('fill', ['sh', '-c', fill]));
  const all = await endOf('fill');
  assert.equal(all.exit?.cause, 'full');
  assert.match(all.exit?.note ?? '', /the most is in \/var\/tmp/);
  const [, , cleaned] = await ask(runIn('clean', ['sh', '-c', 'rm /var/tmp/fill-*']), waitFor('clean'));
  assert.equal(cleaned?.data.exit?.code, 0);
  await untilHandsAnswer();
  await assertResidentLives();
  await assertOthersLive();
});
