import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Need } from '@hamlet/contract';
import { carryOut } from './carry-out.ts';
import { isListed } from './need-labels.ts';

const aNeed = (change: Partial<Need>): Need => ({
  kind: 'result',
  id: 'r1',
  agent_id: 'ada',
  since: '2026-11-30T12:00:00Z',
  line: 'finished a task',
  link: '/?view=runs&run=r1',
  remedy: null,
  ...change,
});

/** The routes that a remedy calls, with what it sends. */
async function calledBy(need: Need): Promise<readonly unknown[]> {
  const called: unknown[] = [];
  await carryOut(need, async (route, input) => {
    called.push([route.name, { ...input }]);
    return null;
  });
  return called;
}

test('each remedy calls its route once', async () => {
  const remedy = (route: NonNullable<Need['remedy']>['route']) => aNeed({ remedy: { route, label: 'Do' } });
  assert.deepEqual(await calledBy(remedy('acceptOffer')), [['acceptOffer', { params: { run_id: 'r1' } }]]);
  assert.deepEqual(await calledBy(remedy('raiseRun')), [
    ['raiseRun', { params: { run_id: 'r1' }, body: { budgets: 'refill' } }],
  ]);
  const body = { prompt: 'Continue this task.', continues: 'r1' };
  assert.deepEqual(await calledBy(remedy('createRun')), [['createRun', { params: { agent_id: 'ada' }, body }]]);
  assert.deepEqual(await calledBy(aNeed({})), []);
});

test('a request is never allowed from the list: its card shows the call first', async () => {
  const request = aNeed({ kind: 'permission', remedy: { route: 'answerPermission', label: 'Allow' } });
  assert.equal(isListed(request), false);
  assert.deepEqual(await calledBy(request), []);
});
