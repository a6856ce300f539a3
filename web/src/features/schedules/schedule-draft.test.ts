import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changesOf,
  type Draft,
  draftOf,
  emptyDraft,
  givenFields,
  nextOf,
  readDraft,
  withPipeline,
} from './schedule-draft.ts';
import { scheduleView } from './schedule-view.fixture.ts';
import { WORKDAYS } from './weekly.ts';

const draft = (more: Partial<Draft> = {}): Draft => ({
  ...emptyDraft('ada', 'Europe/Zurich'),
  name: 'morning',
  prompt: 'Read the board.',
  ...more,
});
const problems = (more: Partial<Draft>): object => {
  const reading = readDraft(draft(more));
  return reading.ok ? {} : reading.problems;
};

test('a draft becomes a request body with only the fields of its kind', () => {
  const reading = readDraft(draft());
  assert.ok(reading.ok);
  assert.deepEqual(givenFields(reading.body), {
    agent_name: 'ada',
    prompt: 'Read the board.',
    daily_at: '09:00',
    time_zone: 'Europe/Zurich',
    missed_runs: 'Skip',
    catch_up_limit: 10,
    overlap: 'Forbid',
    starting_deadline_seconds: 300,
    suspend: false,
    history_limit: 10,
  });
  const labels = readDraft(
    draft({ target: 'labels', labels: 'team=carriers, size = small', kind: 'every', every: '10s' }),
  );
  assert.ok(labels.ok);
  assert.deepEqual(
    [labels.body.agent_name, labels.body.selector, labels.body.every, labels.body.time_zone],
    [null, { match_labels: { team: 'carriers', size: 'small' } }, '10s', null],
  );
});

test('each problem is at its field, with the message of the cluster', () => {
  assert.deepEqual(problems({ kind: 'cron', cron: 'at nine' }), {
    cron: 'Write five cron fields (minute, hour, day of month, month, day of week), for example "0 9 * * MON-FRI"',
  });
  assert.deepEqual(
    Object.keys(
      problems({ name: 'My schedule!', prompt: ' ', agent: '', timeZone: 'Mars/Olympus', deadline: 'soon' }),
    ).toSorted(),
    ['agent', 'deadline', 'name', 'prompt', 'timeZone'],
  );
  assert.deepEqual(Object.keys(problems({ target: 'labels', labels: 'carriers' })), ['labels']);
  assert.deepEqual(Object.keys(problems({ target: 'labels', labels: '' })), ['labels']);
  assert.deepEqual(Object.keys(problems({ kind: 'every', every: '0s' })), ['every']);
  assert.deepEqual(problems({ kind: 'daily', dailyAt: 'noon' }), { dailyAt: 'Write a time of day, for example 09:30' });
  assert.deepEqual(problems({ kind: 'daily', dailyAt: '7:30' }), {}, 'people leave out a zero');
  assert.deepEqual(problems({ prompt: ' ' }), { prompt: 'Write the work for the agent' });
});

test('a cron schedule on days of the week is shown as days, and an edit of another field leaves its cron fields unchanged', () => {
  const view = scheduleView({ cron: '30 7 * * MON-FRI', daily_at: null, time_zone: 'Europe/Zurich' });
  const stored = draftOf(view, 'UTC');
  assert.deepEqual([stored.kind, stored.days, stored.dailyAt], ['weekly', WORKDAYS, '07:30']);
  const same = readDraft({ ...stored, prompt: 'Report.' });
  assert.ok(same.ok);
  assert.deepEqual(changesOf(same.body, view), { prompt: 'Report.' });
  const other = readDraft({ ...stored, days: ['MON', 'SAT'], dailyAt: '8:05' });
  assert.deepEqual(other.ok && changesOf(other.body, view), { cron: '5 8 * * MON,SAT' });
});

test('a missing day and an invalid time are problems of their fields', () => {
  const dayless = draft({ kind: 'weekly', days: [] });
  assert.deepEqual(problems(dayless), { days: 'Choose at least one day' });
  assert.deepEqual(nextOf(dayless, 0), { ok: false, problem: 'Choose at least one day.' });
  assert.deepEqual(Object.keys(problems({ kind: 'weekly', dailyAt: '25:00' })), ['dailyAt']);
});

test('an empty name asks for a name, and a wrong one says which letters it may have', () => {
  assert.deepEqual(problems({ name: ' ' }), { name: 'Write a name' });
  assert.match(JSON.stringify(problems({ name: 'Zürich!' })), /letters without accents, digits, spaces/);
});

test('a name in words becomes the name of an object', () => {
  const reading = readDraft(draft({ name: ' Morning  round ' }));
  assert.equal(reading.ok && reading.name, 'morning-round');
});

test('fields of another kind are ignored', () => {
  assert.deepEqual(problems({ kind: 'daily', cron: 'nonsense', every: '' }), {});
});

test('an edit of other fields keeps the workflow of a schedule', () => {
  const view = scheduleView({ workflow: { pipeline: 'nightly', tags: ['day'] } });
  const reading = readDraft({ ...draftOf(view, 'UTC'), prompt: 'Report.' });
  assert.ok(reading.ok);
  assert.deepEqual(changesOf(reading.body, view), { prompt: 'Report.' });
});

test('only changed fields are sent, and null removes a field', () => {
  const view = scheduleView({ daily_at: '09:00', time_zone: 'Europe/Zurich' });
  const same = readDraft(draftOf(view, 'UTC'));
  assert.ok(same.ok);
  assert.deepEqual(changesOf(same.body, view), {});
  const other = readDraft({ ...draftOf(view, 'UTC'), kind: 'every', every: '10m', overlap: 'Queue' });
  assert.ok(other.ok);
  assert.deepEqual(changesOf(other.body, view), { every: '10m', daily_at: null, time_zone: null, overlap: 'Queue' });
});

test('a pipeline is chosen or left to the workflow, and an invalid one is a problem of its field', () => {
  assert.deepEqual(withPipeline({ mode: 'day' }, ' nightly '), { pipeline: 'nightly', mode: 'day' });
  assert.deepEqual(withPipeline({ pipeline: 'nightly', tags: ['a'] }, ''), { tags: ['a'] });
  assert.deepEqual(Object.keys(problems({ workflow: { pipeline: 'At night' } })), ['workflow']);
  assert.deepEqual(problems({ workflow: {} }), {});
});
