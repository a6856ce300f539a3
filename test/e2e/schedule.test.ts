/** A schedule of ten seconds: each slot fires once, the resident does the work, and kubectl, the api and the database agree. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { API_VERSION } from '@hamlet/contract';
import { until } from '../env/until.ts';
import { applyAgent, deleteAgents, untilReady, village, type Village } from '../env/village.ts';

const AGENT = 'tick';
const NAME = 'every-ten-seconds';
const EVERY_S = 10;
const FIRINGS = 2;

let place: Village;

before(async () => {
  place = await village();
  await applyAgent(place, AGENT);
  await untilReady(place, AGENT);
});
after(async () => {
  await place.tryKubectl(['delete', 'schedule', NAME, '--ignore-not-found', '--timeout=60s']);
  await deleteAgents(place, [AGENT]);
});

/** Runs a query as the owner of Postgres, in its pod. */
async function inPostgres(query: string): Promise<readonly string[]> {
  const psql = `psql --no-psqlrc --tuples-only --no-align -U "$POSTGRES_USER" hamlet -c "${query}"`;
  return (await place.kubectl(['exec', 'hamlet-postgres-0', '--', 'sh', '-c', psql]))
    .split('\n')
    .filter((line) => line !== '');
}

const scheduleView = async () => (await place.admin.listSchedules()).schedules.find(({ name }) => name === NAME);

test('the Schedule fires in its slots, and the resident settles its runs', async () => {
  const schedule = {
    apiVersion: API_VERSION,
    kind: 'Schedule',
    metadata: { name: NAME },
    spec: { agentName: AGENT, prompt: 'Look around and say what you see.', every: `${EVERY_S}s` },
  };
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(schedule));
  const done = await until(`${FIRINGS} runs are done`, async () => {
    const { runs } = await place.admin.listRuns({ schedule: NAME, state: 'done' });
    return runs.length >= FIRINGS ? runs : undefined;
  });
  for (const run of done) {
    assert.deepEqual([run.agent_id, run.kind, run.schedule?.name, run.attempt], [AGENT, 'schedule', NAME, 1]);
    assert.notEqual(run.summary, null);
    assert.equal(Date.parse(run.schedule?.slot ?? '') % (EVERY_S * 1_000), 0, 'each slot is a multiple of the period');
  }
  assert.equal(new Set(done.map((run) => run.schedule?.slot)).size, done.length, 'no slot twice');
});

test('kubectl, the api and the table agree', async () => {
  await place.kubectl(['patch', 'schedule', NAME, '--type=merge', '-p', '{"spec":{"suspend":true}}']);
  // A suspended schedule no longer fires. After the last run has settled and its status is written, all three agree.
  const view = await until('they agree', async () => {
    const shown = await scheduleView();
    const last = shown?.last_firings[0];
    if (shown === undefined || last === undefined || shown.status.active_runs !== 0) return undefined;
    const [epochS, runs] =
      (
        await inPostgres(
          `select extract(epoch from slot)::bigint, runs from firing where schedule_uid = '${shown.uid}' order by slot desc limit 1`,
        )
      )[0]?.split('|') ?? [];
    const inCluster = await place.kubectl([
      'get',
      'schedule',
      NAME,
      '-o',
      'jsonpath={.status.lastRunID} {.status.activeRuns}',
    ]);
    const run = last.runs[0]?.run_id ?? '';
    const same =
      Number(epochS) * 1_000 === Date.parse(last.slot) &&
      runs?.includes(run) === true &&
      inCluster === `${run} 0` &&
      shown.status.last_run_id === run;
    return same ? shown : undefined;
  });
  const count = await inPostgres(`select count(*) from firing where schedule_uid = '${view.uid}'`);
  assert.equal(view.last_firings.length, Math.min(Number(count[0]), 10));
  assert.ok(view.last_firings.every(({ runs }) => runs.length === 1 && runs[0]?.agent_id === AGENT));
  const table = await place.kubectl(['get', 'sch', NAME]);
  assert.match(table, /SCHEDULE|NAME/);
  assert.match(table, new RegExp(`${NAME}.*${AGENT}`));
});
