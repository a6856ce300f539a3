/**
 * The record of egress also contains refusals by disabled registries and missing runs. Real API, database, broker and
 * programs.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { REGISTRIES } from '@hamlet/contract';
import type { Working } from '../../api/server/src/permissions/testing/permission-play.ts';
import { eventually } from '../../api/server/src/testing/test-village.ts';
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

/** Waits for lines about a host. */
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
