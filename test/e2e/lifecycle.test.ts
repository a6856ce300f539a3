/** The life of a third Agent, with kubectl alone: applied, asleep, awake at the same home, deleted without a trace. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { recordRecovery } from '../env/recovery.ts';
import { until } from '../env/until.ts';
import type { Village } from '../env/village.ts';
import { agentOf, getObject, namesInWorld, podsOf, setPower, untilMoves, untilReady, village } from '../env/village.ts';

const NAME = 'cleo';
const MANIFEST = JSON.stringify({
  apiVersion: 'hamlet.village/v1alpha1',
  kind: 'Agent',
  metadata: { name: NAME },
  spec: { displayName: 'Cleo', loop: { every: '2s' }, memory: { size: '128Mi' } },
});
/** A text that only the volume can restore. */
const KEEPSAKE = `kept-${process.pid}-${Date.now()}`;

interface Claim {
  readonly metadata: { readonly uid: string };
  readonly spec: { readonly volumeName: string };
}

let place: Village;
const podOf = async (): Promise<string> => (await agentOf(place, NAME))?.pod ?? '';
const exec = async (container: 'resident' | 'hands', ...command: string[]): Promise<string> =>
  place.kubectl(['exec', await podOf(), '-c', container, '--', ...command]);

before(async () => {
  place = await village();
});
after(async () => {
  await place.tryKubectl(['delete', 'agent', NAME, '--ignore-not-found', '--timeout=90s']);
});

test('an applied Agent appears in the world', async () => {
  const started = performance.now();
  await place.kubectl(['apply', '-f', '-'], MANIFEST);
  await until('in the world and online', async () => (await agentOf(place, NAME))?.status.online === true);
  recordRecovery('agentAppliedToInWorldMs', performance.now() - started);
  const agent = await untilReady(place, NAME);
  assert.equal(agent.display_name, 'Cleo');
  assert.match(agent.node ?? '', /^sparky[12]$/);
  await untilMoves(place, NAME);
});

test('an agent put to sleep loses its pod, keeps its volume, and sleeps in the world', async () => {
  await exec('hands', 'sh', '-c', `echo ${KEEPSAKE} | tee /workspace/keepsake >/root/keepsake && sync`);
  await exec('resident', 'sh', '-c', `echo ${KEEPSAKE} >/root/.mcp-memory/keepsake && sync`);
  const claim = await getObject<Claim>(place, 'pvc', `${NAME}-home`);
  await setPower(place, NAME, 'Asleep');
  await until('no pod is left', async () => (await podsOf(place, NAME)) === '');
  const asleep = await until('the world shows it asleep', async () => {
    const agent = await agentOf(place, NAME);
    return agent?.power === 'Asleep' && !agent.status.online ? agent : undefined;
  });
  assert.equal(asleep.status.health, 'asleep');
  assert.equal(asleep.why.ready, false);
  assert.equal((await getObject<Claim>(place, 'pvc', `${NAME}-home`))?.metadata.uid, claim?.metadata.uid);
});

test('an awakened agent has the same home and memory', async () => {
  const before = await agentOf(place, NAME);
  const claim = await getObject<Claim>(place, 'pvc', `${NAME}-home`);
  await setPower(place, NAME, 'Awake');
  assert.equal((await untilReady(place, NAME)).home, before?.home);
  assert.equal(await exec('hands', 'cat', '/workspace/keepsake'), KEEPSAKE);
  assert.equal(await exec('hands', 'cat', '/root/keepsake'), KEEPSAKE);
  assert.equal(await exec('resident', 'cat', '/root/.mcp-memory/keepsake'), KEEPSAKE);
  assert.equal((await getObject<Claim>(place, 'pvc', `${NAME}-home`))?.spec.volumeName, claim?.spec.volumeName);
  await untilMoves(place, NAME);
});

test('a deleted agent leaves nothing behind', async () => {
  const volume = (await getObject<Claim>(place, 'pvc', `${NAME}-home`))?.spec.volumeName ?? '';
  await place.kubectl(['delete', 'agent', NAME, '--timeout=90s']);
  await until(
    'pods and claims are gone',
    async () => (await place.kubectl(['get', 'pods,pvc', '-l', `hamlet.village/agent=${NAME}`, '-o', 'name'])) === '',
  );
  await until('the agent has left the world', async () => !(await namesInWorld(place)).includes(NAME));
  await until('the volume is gone', async () => (await getObject(place, 'pv', volume)) === undefined);
});
