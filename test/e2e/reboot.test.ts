/** A reboot does not wait for the old loop: a new cycle begins at once and the old one's writes are refused. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { actAsAgent, createClient, exchangeAgentToken, rebootAgent, suspendAgent, awakenAgent } from '@hamlet/contract';
import { until } from '../env/until.ts';
import { agentOf, untilReady, village, type Village } from '../env/village.ts';

const NAME = 'bob';
let place: Village;
before(async () => {
  place = await village();
  await untilReady(place, NAME);
});

/** Runs a script with the agent's own Node, token and network: what the old loop could do. */
async function inPod(pod: string, script: string): Promise<string> {
  return place.kubectl(['exec', pod, '--', 'node', '--input-type=module', '-e', script]);
}

/** A token of the cycle that runs now, taken from inside the pod as the resident does. */
async function tokenOf(pod: string): Promise<string> {
  const path = `/api/v1${exchangeAgentToken.path}`;
  return inPod(pod, `
    import { readFileSync } from 'node:fs';
    const projected = readFileSync(process.env.HAMLET_TOKEN_FILE, 'utf8').trim();
    const answer = await fetch(process.env.HAMLET_API_URL + '${path}', { method: 'POST', headers: { authorization: 'Bearer ' + projected } });
    process.stdout.write((await answer.json()).access_token ?? '');`);
}

test('the old cycle is refused and the new pod carries the new cycle in its name', async () => {
  const old = await untilReady(place, NAME);
  const token = await tokenOf(old.pod ?? '');
  assert.ok(token.length > 20, 'the exchange gave a token');
  const talk = { kind: 'talk', text: 'Am I still here?' } as const;
  const asOldLoop = createClient({ baseUrl: await agentsUrl(), token });
  const before = await asOldLoop.call(actAsAgent, { params: { agent_id: NAME }, body: talk });
  assert.equal(before.ok, true, JSON.stringify(before));

  const rebooted = await place.admin.call(rebootAgent, { params: { agent_id: NAME } });
  assert.equal(rebooted.ok, true, JSON.stringify(rebooted));
  await until('the cycle has grown', async () => ((await agentOf(place, NAME))?.cycle ?? 0) > old.cycle);
  const refused = await asOldLoop.call(actAsAgent, { params: { agent_id: NAME }, body: talk });
  assert.equal(refused.ok ? 'accepted' : refused.problem.code, 'stale_cycle');

  const fresh = await untilReady(place, NAME);
  assert.equal(fresh.pod, `${NAME}-${fresh.cycle}`);
  assert.notEqual(fresh.pod, old.pod);
  await until('the old pod is gone', async () => (await place.kubectl(['get', 'pod', old.pod ?? '', '--ignore-not-found', '-o', 'name'])) === '');
});

test('awakening the awake and suspending the asleep change nothing; rebooting the asleep is refused', async () => {
  const awake = await untilReady(place, NAME);
  const again = await place.admin.call(awakenAgent, { params: { agent_id: NAME } });
  assert.equal(again.ok && again.data.changed, false);
  assert.equal((await agentOf(place, NAME))?.cycle, awake.cycle);
  await place.admin.call(suspendAgent, { params: { agent_id: NAME } });
  try {
    await until('it sleeps', async () => (await agentOf(place, NAME))?.pod === null);
    const twice = await place.admin.call(suspendAgent, { params: { agent_id: NAME } });
    assert.equal(twice.ok && twice.data.changed, false);
    const reboot = await place.admin.call(rebootAgent, { params: { agent_id: NAME } });
    assert.equal(reboot.ok ? 'accepted' : reboot.problem.code, 'reboot_while_asleep');
  } finally {
    await place.admin.call(awakenAgent, { params: { agent_id: NAME } });
  }
  await untilReady(place, NAME);
});

/** The agents' port by its pod's address: this machine routes to pods, agents' policies do not concern it. */
async function agentsUrl(): Promise<string> {
  const address = await place.kubectl(['get', 'pods', '-l', 'app.kubernetes.io/component=api', '-o', 'jsonpath={.items[0].status.podIP}']);
  return `http://${address}:8081`;
}
