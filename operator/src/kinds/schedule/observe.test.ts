import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@hamlet/kube';
import { scheduleView, type ScheduleView } from './cached-schedule.ts';
import { selects } from './observe.ts';

const metadata = { name: 'tick', namespace: 'village', uid: 'u1', resourceVersion: '1' };
const schedule = (target: object): ScheduleView =>
  scheduleView({ metadata, spec: { prompt: 'Walk.', every: '10s', ...target } });
const agent = (name: string, labels?: Readonly<Record<string, string>>): KubeObject['metadata'] => ({
  ...metadata,
  name,
  ...(labels === undefined ? {} : { labels }),
});

test('a Schedule with a name selects the Agent of that name in its namespace', () => {
  const named = schedule({ agentName: 'ada' });
  assert.deepEqual(
    [agent('ada'), agent('bob'), { ...agent('ada'), namespace: 'other' }].map((each) => selects(named, each)),
    [true, false, false],
  );
});

test('a Schedule with a selector selects the Agents of its namespace that have all of its labels', () => {
  const selecting = schedule({ selector: { matchLabels: { team: 'a', shift: 'day' } } });
  const both = { team: 'a', shift: 'day', more: 'x' };
  assert.deepEqual(
    [
      agent('ada', both),
      agent('bob', { team: 'a' }),
      agent('cleo', { team: 'a', shift: 'night' }),
      agent('dan'),
      { ...agent('eve', both), namespace: 'other' },
    ].map((each) => selects(selecting, each)),
    [true, false, false, false, false],
  );
});

test('a Schedule that the operator cannot read selects no Agent', () => {
  assert.equal(selects(schedule({ agentName: 'ada', every: 'often' }), agent('ada')), false);
});
