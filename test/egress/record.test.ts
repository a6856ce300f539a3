/**
 * The record of egress also contains refusals by disabled registries and missing runs, and A2A goes out: call_agent through the
 * broker, callbacks from the API. Real API, database, broker, programs and receivers with TLS.
 */
import assert from 'node:assert/strict';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { REGISTRIES } from '@hamlet/contract';
import { readCallbacks } from '@hamlet/store';
import { startNetHands } from '../../agent-image/resident/src/net/testing/net-hands.ts';
import { weatherAgent } from '../../agent-image/resident/src/net/testing/weather-agent.ts';
import type { Working } from '../../api/server/src/permissions/testing/permission-play.ts';
import { eventually, TOKENS } from '../../api/server/src/testing/test-village.ts';
import { runProgram, startGuardedVillage, type BrokerProcess, type GuardedVillage } from './guarded-village.ts';

let world: GuardedVillage;
let broker: BrokerProcess;
let working: Working;

before(async () => {
  world = await startGuardedVillage();
  broker = await world.startBroker();
  working = await world.permits.startRun('ada');
});
after(async () => {
  await broker?.stop();
  await world.remove();
});

const curl = async (proxy: string, ...args: readonly string[]): Promise<string> =>
  (await runProgram(world, proxy, { program: ['curl', '-sS', '-m', '60', ...args] }).ended).out;

async function linesAbout(host: string) {
  const attempts = await eventually(`a line about ${host}`, async () => {
    const found = (await world.permits.play.admin.listEgress({ host, limit: 100 })).attempts;
    return found.length > 0 && found;
  });
  return attempts.map(({ agent_id: agent, run_id: run, run_witnessed: isWitnessed, call_id: call, ...attempt }) => {
    const { form, port, method, path, refused } = attempt;
    return { agent, run, isWitnessed, call, form, port, method, path, refused };
  });
}

test('each disabled registry is recorded by its name, with agent, run, call and package', async () => {
  const proxy = await world.proxyOf(broker, working);
  for (const registry of REGISTRIES) {
    assert.match(await curl(proxy, `http://hamlet/${registry}/left-pad?x=1`), /egress_registry_off/);
    assert.deepEqual(await linesAbout(registry), [
      {
        agent: 'ada',
        run: working.runId,
        isWitnessed: true,
        call: 'call-1',
        form: 'plain',
        port: 80,
        method: 'GET',
        path: '/left-pad',
        refused: 'egress_registry_off',
      },
    ]);
  }
});

test('a proxy user without a run is recorded too, and its lines do not displace others', async () => {
  const { access_token: token } = await world.permits.play.as('ada').exchangeAgentToken();
  const own = await world.proxyOf(broker, working);
  for (const user of [`${'-'.repeat(36)}/call-1`, 'just words']) {
    const odd = `http://${encodeURIComponent(user)}:${token}@127.0.0.1:${String(broker.port)}`;
    const host = `closed-${String(user.length)}.home`;
    const answers = await Promise.all([curl(odd, `http://${host}/odd`), curl(own, `http://${host}/own`)]);
    for (const answer of answers) assert.match(answer, /egress_not_allowed/);
    await eventually('both lines', async () => (await linesAbout(host)).length === 2);
    const lines = (await linesAbout(host)).map(({ run, path }) => `${String(path)} ${String(run)}`);
    assert.deepEqual(lines.toSorted(), ['/odd null', `/own ${working.runId}`]);
  }
});

test('call_agent reaches an agent of another system over HTTPS, and the record has the request', async () => {
  world.served.set('agent.home', weatherAgent);
  let proxy = '';
  const environmentOf = () => ({ HTTP_PROXY: proxy, NODE_EXTRA_CA_CERTS: world.authorityFile });
  const outsideAgents = [{ name: 'weather', url: 'https://agent.home/a2a', secret: null }];
  const hands = await startNetHands({ environmentOf }, { outsideAgents });
  // The lease of the earlier run may have lapsed.
  await world.permits.endAll();
  working = await world.permits.startRun('ada');
  try {
    proxy = await world.proxyOf(broker, working);
    const answer = await hands.textOf('call_agent', { agent: 'weather', message: 'Rye' });
    assert.match(answer, /^Task \S+: completed\.\n\nWeather:\nSun in Rye\.$/);
  } finally {
    await hands.remove();
  }
  const lines = (await linesAbout('agent.home')).map(({ run, method, path, refused }) => [run, method, path, refused]);
  assert.deepEqual(lines.at(0), [working.runId, 'POST', '/a2a', null]);
});

async function callAda(method: string, params: object): Promise<{ readonly task?: { readonly id: string } }> {
  const { url } = world.permits.play;
  const authorization = `Bearer ${TOKENS.member}`;
  const response = await fetch(`${url}/a2a/ada`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', authorization },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: { task?: { id: string } }; error?: unknown };
  assert.ok(result !== undefined, JSON.stringify(error));
  return result;
}

test('a callback reaches its receiver over HTTPS with its token, again after a 500, and no address inside', async () => {
  const arrived: unknown[][] = [];
  const statuses = [500];
  world.served.set('hooks.home', (request, response) => {
    void json(request).then((body) => {
      const { statusUpdate } = body as { statusUpdate: { status: { state: string } } };
      arrived.push([request.url, request.headers['x-a2a-notification-token'], statusUpdate.status.state]);
      response.writeHead(statuses.shift() ?? 204).end();
    });
  });
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Report to me.' }] };
  const taskPushNotificationConfig = { url: 'https://hooks.home/tasks', token: 'of-the-receiver' };
  const configuration = { returnImmediately: true, taskPushNotificationConfig };
  const { task: { id: taskId } = { id: '' } } = await callAda('SendMessage', { message, configuration });
  const inside = { taskId, id: 'inside', url: 'https://inside.home/' };
  await callAda('CreateTaskPushNotificationConfig', inside);
  const db = world.village.openDb();
  const failuresOf = async (id: string) =>
    (await readCallbacks(db, taskId)).find(({ callbackId }) => callbackId === id)?.failures;
  await eventually(
    'both failures',
    async () => (await failuresOf('default')) === 1 && (await failuresOf('inside')) === 1,
  );
  await db
    .updateTable('a2a_callback')
    .set({ due_at: new Date(0) })
    .where('callback_id', '=', 'default')
    .execute();
  await eventually('the delivery after the failure', async () => (await failuresOf('default')) === 0);
  await callAda('CancelTask', { id: taskId });
  await eventually('the last state', async () => (await failuresOf('default')) === undefined);
  const delivery = (state: string) => ['/tasks', 'of-the-receiver', `TASK_STATE_${state}`];
  assert.deepEqual(arrived, [delivery('SUBMITTED'), delivery('SUBMITTED'), delivery('CANCELED')]);
  assert.match(world.village.logs.join('\n'), /inside\.home has an address inside the cluster/);
});

test('attempts of a stopped agent are recorded with its name', async () => {
  const { admin } = world.permits.play;
  const proxy = await world.proxyOf(broker, working);
  const codes = async (host: string): Promise<readonly string[]> =>
    (await linesAbout(host)).map(({ agent, refused }) => `${agent} ${String(refused)}`);
  await admin.quarantineAgent({ agent_id: 'ada', reason: 'odd posts' });
  assert.match(await curl(proxy, 'http://stopped.home/'), /egress_agent_stopped.*odd posts/);
  assert.match(await curl(proxy, 'https://stopped-tls.home/'), /egress_agent_stopped|403/);
  assert.match(await curl(proxy, 'http://hamlet/git/stopped-git.home/x.git/info/refs'), /egress_agent_stopped/);
  for (const host of ['stopped.home', 'stopped-tls.home', 'stopped-git.home'])
    assert.deepEqual(await codes(host), ['ada egress_agent_stopped']);
  await admin.liftQuarantine({ agent_id: 'ada', reason: 'explained' });
});
