/** `kubectl hamlet` against the village: the same texts as in the API, and the api through kubectl port-forward. */
import assert from 'node:assert/strict';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildPlugin } from '../../cli/kubectl/build.ts';
import { program } from '../../local/village/cluster.ts';
import { tryRun, type RunResult } from '../../local/village/command.ts';
import { until } from '../env/until.ts';
import { applyAgent, deleteAgents, untilReady, village, type Village } from '../env/village.ts';
import { testFolder } from '../env/at-end.ts';

const AGENT = 'pim';
let place: Village;
const folder = testFolder('e2e-plugin');
let kubectl: string;
let path: string;

before(async () => {
  place = await village();
  kubectl = await program('kubectl');
  path = [
    dirname(await buildPlugin(join(folder, 'dist'))),
    dirname(kubectl),
    dirname(process.execPath),
    process.env['PATH'],
  ].join(delimiter);
  await applyAgent(place, AGENT);
  await untilReady(place, AGENT);
});
after(async () => {
  await deleteAgents(place, [AGENT]);
});

const hamlet = (line: string): Promise<RunResult> =>
  tryRun(kubectl, ['hamlet', ...line.split(' '), '--namespace', place.namespace], {
    env: { KUBECONFIG: place.kubeconfig, PATH: path, HAMLET_TOKEN: place.adminToken },
    cwd: folder,
  });

test('why agrees with the api, before and after the agent is put to sleep', async () => {
  const ready = await hamlet(`why ${AGENT} -o json`);
  assert.equal(ready.code, 0, ready.output);
  assert.equal((await hamlet(`sleep ${AGENT}`)).code, 0);
  const { why } = await until('the api reports the agent asleep', async () => {
    const agent = await place.admin.getAgent({ agent_id: AGENT });
    return agent.why.reason === 'Asleep' && agent;
  });
  const asleep = await hamlet(`why ${AGENT} -o json`);
  assert.equal(asleep.code, 1);
  const { blocking } = JSON.parse(asleep.stdout) as { blocking: { reason: string; advice: string } };
  assert.deepEqual([blocking.reason, blocking.advice], [why.reason, `wake it: kubectl hamlet awake ${AGENT}`]);
  assert.equal((await hamlet(`awake ${AGENT}`)).code, 0);
  await untilReady(place, AGENT);
  assert.equal((await hamlet(`why ${AGENT}`)).code, 0);
});

test('runs are read through kubectl port-forward, logs from the pod', async () => {
  const { run } = await place.admin.createRun({ agent_id: AGENT, prompt: 'Look around.' });
  const listed = await hamlet(`runs ${AGENT}`);
  assert.ok(listed.stdout.includes(run.run_id), listed.output);
  assert.match((await hamlet(`logs ${AGENT} --tail=5`)).stdout, /agent_id/);
});
