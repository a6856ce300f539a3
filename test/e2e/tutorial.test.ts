/** A person follows docs/TUTORIAL.md on the village of two nodes: the agent of the document gets a pod, does the paid task and is paid. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { invite, personOf, type SignedInPerson } from '../../api/server/src/testing/play/people-play.ts';
import { testFolder } from '../env/at-end.ts';
import { deleteAgents, village, type Village } from '../env/village.ts';
import { assertRun, BLOCKS } from '../tutorial/tutorial.ts';

const AGENT = 'cleo';

let place: Village;
let reader: SignedInPerson;

before(async () => {
  place = await village();
  await deleteAgents(place, [AGENT]);
  const admin = { ...personOf(place.url, '', ''), client: place.admin };
  reader = await invite(admin, place.url, { name: `reader-${process.pid}`, role: 'admin' });
});
after(() => deleteAgents(place, [AGENT]));

test('the commands make an agent with a pod, give it a paid task and pay it', async () => {
  const { token } = await reader.client.createMyKey({ name: 'terminal', scopes: ['read', 'work', 'spend'], days: 1 });
  const folder = testFolder('e2e-tutorial');
  const KUBECONFIG = join(folder, 'kubeconfig');
  await cp(place.kubeconfig, KUBECONFIG);
  const blocks = BLOCKS.filter(({ notRun }) => notRun === '' || notRun.startsWith('needs a kubelet'));
  assert.ok(blocks.some(({ commands }) => commands.includes('kubectl wait')));
  await assertRun(blocks, folder, { KUBECONFIG, HAMLET_URL: place.url, HAMLET_TOKEN: token });
});
