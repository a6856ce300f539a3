/** A schedule of ten seconds: each slot fires once, and the resident does the work. */
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
