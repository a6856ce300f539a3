import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordCheckout, type Checkout } from './checkout-record.ts';
import { localSteps } from './down.ts';
import { testFolder } from '@hamlet/test/env/at-end';

const root = testFolder('down');
let count = 0;

/** Two checkouts that share a running cluster, whose hamlet-cluster writes its arguments to a file. */
function machine(): { readonly ours: Checkout; readonly theirs: Checkout; readonly calls: () => string } {
  const folder = join(root, String((count += 1)));
  const [cluster, bin] = [join(folder, 'cluster'), join(folder, 'bin')];
  const checkout = (name: string): Checkout => {
    const state = join(folder, name, '.hamlet');
    mkdirSync(state, { recursive: true });
    return { root: join(folder, name), state, cluster };
  };
  for (const each of [cluster, bin]) mkdirSync(each, { recursive: true });
  writeFileSync(join(bin, 'hamlet-cluster'), `#!/bin/sh\necho "$@" >>${folder}/calls\necho the cluster is down\n`, {
    mode: 0o755,
  });
  writeFileSync(join(cluster, 'cluster.json'), JSON.stringify({ bin }));
  writeFileSync(join(cluster, 'supervisor.json'), '{}');
  const calls = join(folder, 'calls');
  return {
    ours: checkout('ours'),
    theirs: checkout('theirs'),
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim() : ''),
  };
}

/** Runs the steps except that of the dev servers. Returns their names and outcomes. */
async function endings(checkout: Checkout, wipe = false): Promise<readonly string[]> {
  const said: string[] = [];
  for (const { name, work } of localSteps({ wipe }, checkout)) {
    const outcome = name === 'dev servers' ? '' : await work({ doing: () => undefined, log: join(root, 'log') });
    said.push(`${name}: ${outcome ?? ''}`);
  }
  return said;
}

const startDevServers = ({ state }: Checkout): void => writeFileSync(join(state, 'dev.json'), '{}');

test("down lists this checkout's dev servers and village before it ends them", async () => {
  const { ours, calls } = machine();
  recordCheckout(ours);
  startDevServers(ours);
  const [first, second, third] = await endings(ours);
  assert.equal(first, `to end: the dev servers of this checkout, the village in ${ours.cluster}`);
  assert.equal(second, 'dev servers: ');
  assert.match(third ?? '', /^cluster: the cluster is down; data kept/);
  assert.equal(calls(), 'down --keep-data');
});

test('down in a checkout that only ran make dev ends the dev servers and leaves the village running', async () => {
  const { ours, theirs, calls } = machine();
  recordCheckout(theirs);
  startDevServers(ours);
  assert.deepEqual(await endings(ours), [
    'to end: the dev servers of this checkout',
    'dev servers: ',
    `cluster: left as it is: the checkout ${theirs.root} started it`,
  ]);
  assert.equal(calls(), '');
});

test("down refuses another checkout's village and data, with the path and the fix", () => {
  const { ours, theirs, calls } = machine();
  recordCheckout(theirs);
  const refusal = (error: Error & { fix?: string }): boolean =>
    error.message.includes(`${theirs.root} started it; nothing was ended`) &&
    error.fix?.includes(`run make down in ${theirs.root},`) === true;
  assert.throws(() => localSteps({ wipe: false }, ours), refusal);
  startDevServers(ours);
  assert.throws(() => localSteps({ wipe: true }, ours), refusal);
  rmSync(join(ours.cluster, 'supervisor.json'));
  assert.throws(() => localSteps({ wipe: true }, ours), refusal, 'the data of a stopped village');
  assert.equal(calls(), '');
});

test('down does nothing if the village of another checkout is stopped', async () => {
  const { ours, theirs, calls } = machine();
  recordCheckout(theirs);
  rmSync(join(ours.cluster, 'supervisor.json'));
  assert.equal((await endings(ours))[0], 'to end: nothing');
  assert.equal(calls(), '');
});

test('down ends the village of a deleted checkout', async () => {
  const { ours, theirs, calls } = machine();
  recordCheckout(theirs);
  rmSync(theirs.root, { recursive: true });
  await endings(ours, true);
  assert.equal(calls(), 'down');
});

test('down ends a village without a record only in a checkout that has run make up', async () => {
  const { ours, calls } = machine();
  assert.throws(() => localSteps({ wipe: false }, ours), /another checkout started it/);
  writeFileSync(join(ours.state, 'up.json'), '{}');
  await endings(ours);
  assert.equal(calls(), 'down --keep-data');
});
