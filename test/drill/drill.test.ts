/**
 * A drill in a village of a resident's process, a real supervisor of its hands, and the API: all brakes hold, and a fake
 * one that does not is recorded as failed.
 */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '@hamlet/contract';
import { agentBrakes, DRILL_RUNTIME, liftDrillFreeze } from '../../local/drill/agent-brakes.ts';
import { drill, reasonToWait, type Rig } from '../../local/drill/drill.ts';
import { personBrakes } from '../../local/drill/person-brakes.ts';
import type { Brake } from '../../local/drill/measure.ts';
import { payForModels } from '../../api/server/src/testing/hands-village.ts';
import { testResidents } from '../../api/server/src/testing/resident-process.ts';
import { RunPlay } from '../../api/server/src/testing/play/run-play.ts';
import { testVillage, TOKENS } from '../../api/server/src/testing/test-village.ts';
import { setVariables, untilEnd } from '../env/at-end.ts';
import { dataOf } from '../env/client.ts';
import { startHands } from '../env/hands/start-hands.ts';

const LIMITS = { flowMs: 60_000, quietMs: 2_000, giveUpMs: 10_000, pauseMs: 40 };

const hands = untilEnd(await startHands());
setVariables({ HAMLET_HANDS_SOCKET: hands.socket });
const village = await testVillage({ villageSpeed: 20 });
const runtime = JSON.stringify({ ...DRILL_RUNTIME, config: { ...DRILL_RUNTIME.config, cwd: hands.workspace } });
appendFileSync(join(village.samples, 'good-agent-ada.yaml'), `  runtime: ${runtime}\n`);
const { peopleUrl } = await village.startReplica();
const runs = new RunPlay(peopleUrl);
const residents = testResidents(runs.play);
const admin = createClient({ baseUrl: peopleUrl, token: TOKENS.admin });
await payForModels(runs.play, ['ada']);

/** As the operator does after a measure: the next cycle of the agent. */
async function ready(): Promise<void> {
  await residents.killAll();
  await runs.play.admin.rebootAgent({ agent_id: 'ada' });
  await residents.start('ada');
}

const ofAda = async (): Promise<Rig> => ({
  brakes: agentBrakes(admin, { agentId: 'ada', ready, hasBroker: false }),
  remove: () => residents.killAll(),
});

/** A brake that the API accepts, and that ends nothing. */
const broken: Brake = {
  name: 'Broken brake',
  arm: async () => ({
    effects: [{ name: 'tick', look: () => String(performance.now()) }],
    pull: async () => undefined,
    release: async () => undefined,
  }),
};

test('a drill waits while agents work, while the village is frozen, and while its ways out are closed', async () => {
  assert.equal(await reasonToWait(admin, false), null);
  const runId = await runs.started('bob');
  assert.match((await reasonToWait(admin, false)) ?? '', /agents are at work/);
  assert.equal(await reasonToWait(admin, true), null);
  await runs.play.admin.setVillageSetting({ key: 'egress_open', value: false });
  assert.match((await reasonToWait(admin, true)) ?? '', /way out is closed/);
  await runs.play.admin.setVillageSetting({ key: 'egress_open', value: null });
  await runs.play.admin.freezeVillage({ reason: 'a fire' });
  await liftDrillFreeze(admin);
  assert.match((await reasonToWait(admin, true)) ?? '', /frozen/, 'the freeze of an admin stays');
  await runs.play.admin.liftVillageFreeze();
  await runs.play.admin.freezeVillage({ reason: 'a drill of the brakes' });
  await liftDrillFreeze(admin);
  assert.equal(await reasonToWait(admin, true), null, 'an earlier drill that was killed left its freeze');
  for (const reason of ['a drill of the brakes', 'a flood']) await runs.play.admin.freezeVillage({ reason });
  await liftDrillFreeze(admin);
  assert.match((await reasonToWait(admin, true)) ?? '', /frozen/, 'an admin froze the village during a drill');
  await runs.play.admin.liftVillageFreeze();
  dataOf(await runs.settle('bob', runId, { attempt: 1, state: 'done', summary: 'Looked.' }));
});

test('before the first drill the figures are missing', async () => {
  assert.deepEqual(await runs.play.admin.getLastDrill(), { drill: null });
});

test('all brakes hold, the village keeps the figures, and nothing of the drill stays on', async (context) => {
  const said: string[] = [];
  const report = await drill(admin, [() => personBrakes(admin, peopleUrl), ofAda], {
    version: '0.0.0',
    trials: 1,
    limits: LIMITS,
    say: (line) => {
      said.push(line);
      context.diagnostic(line);
    },
    leftOut: ['Egress: no broker'],
  });
  assert.deepEqual(
    report.figures.map(({ brake, held, trials }) => [brake, held, trials]),
    [
      'Sign-out of a person',
      'Revoked API key',
      'Stop of a run',
      'Kill of an agent',
      'Ban of an agent',
      'Quarantine of an agent',
      'Freeze of an agent',
      'Revoked token of an agent',
      'Freeze of the village',
    ].map((brake) => [brake, true, 1]),
  );
  assert.equal(said.length, report.figures.length);
  const { drill: kept } = await runs.play.admin.getLastDrill();
  assert.ok(kept !== null);
  const { at, by, ...figures } = kept;
  assert.deepEqual([figures, by.role], [report, 'admin']);
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  assert.equal((await runs.play.admin.getVillageFreeze()).frozen, false);
  assert.deepEqual((await runs.play.admin.getStanding({ agent_id: 'ada' })).measures, []);
  const { accounts } = await runs.play.admin.listAccounts();
  const { account_id, disabled_at } = accounts.find(({ name }) => name === 'drill-of-the-brakes') ?? assert.fail();
  assert.notEqual(disabled_at, null);

  await runs.play.admin.changeAccount({ account_id, disabled: false });
  await assert.rejects(personBrakes(admin, peopleUrl), /drill-of-the-brakes is in use/);
  await runs.play.admin.changeAccount({ account_id, disabled: true });
});

test('a freeze, and closed ways out, that an admin begins during a drill end the drill and stay', async () => {
  const brakes = agentBrakes(admin, { agentId: 'ada', ready: async () => undefined, hasBroker: true });
  const armed = async (name: string) => {
    const brake = brakes.find((each) => each.name === name);
    assert.ok(brake !== undefined, name);
    return brake.arm();
  };
  const freeze = await armed('Freeze of the village');
  await runs.play.admin.freezeVillage({ reason: 'a fire' });
  await assert.rejects(freeze.pull(), /during the drill: a fire/);
  await freeze.release();
  assert.equal((await runs.play.admin.getVillageFreeze()).reason, 'a fire');
  await runs.play.admin.liftVillageFreeze();

  const out = await armed('Every way out closed');
  await runs.play.admin.setVillageSetting({ key: 'egress_open', value: false });
  await assert.rejects(out.pull(), /closed every way out/);
  await out.release();
  const { settings } = await runs.play.admin.getVillageSettings();
  assert.equal(settings.find(({ key }) => key === 'egress_open')?.value, false);
  await runs.play.admin.setVillageSetting({ key: 'egress_open', value: null });
});

test('a brake that does not hold is recorded as failed, and the account of the drill serves again', async () => {
  const ofPerson = async (): Promise<Rig> => {
    const rig = await personBrakes(admin, peopleUrl);
    return { ...rig, brakes: [broken, ...rig.brakes.slice(0, 1)] };
  };
  const options = { version: '0.0.0', trials: 2, limits: { ...LIMITS, giveUpMs: 3_000 }, say: () => undefined };
  await drill(admin, [ofPerson], { ...options, leftOut: [] });
  const { drill: kept } = await runs.play.admin.getLastDrill();
  assert.deepEqual(
    kept?.figures.map(({ brake, held, trials }) => [brake, held, trials]),
    [
      ['Broken brake', false, 1],
      ['Sign-out of a person', true, 2],
    ],
  );
});
