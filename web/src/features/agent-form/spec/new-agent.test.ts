import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyDraft } from '../../schedules/schedule-draft.ts';
import { begunWith, BLANK_AGENT, firstWork, readNew } from './new-agent.ts';

const NONE: ReadonlySet<string> = new Set();
const BAKER = { ...BLANK_AGENT, spec: { displayName: 'Zoë the Baker ', persona: { identity: 'You bake.' } } };

test('the name follows the title until a person writes one', () => {
  assert.equal(readNew(BAKER, NONE).name, 'zoe-the-baker');
  assert.equal(readNew({ ...BAKER, name: 'zoe' }, NONE).name, 'zoe');
  assert.deepEqual(readNew(BAKER, NONE).agent, {
    agent_id: 'zoe-the-baker',
    spec: { displayName: 'Zoë the Baker', persona: { identity: 'You bake.' } },
  });
});

test('nothing is sent while the name or the spec is wrong', () => {
  const taken = readNew(BAKER, new Set(['zoe-the-baker']));
  assert.match(taken.nameProblem ?? '', /already/);
  assert.equal(taken.agent, null);
  const wrong = readNew({ ...BAKER, spec: { ...BAKER.spec, model: { name: '?' } } }, NONE);
  assert.equal(wrong.problems.has('model.name'), true);
  assert.equal(wrong.agent, null);
});

test('work at set times is a Schedule of the agent, named after it', () => {
  const work = { ...emptyDraft('', 'Europe/Zurich'), prompt: 'Bake.', dailyAt: '6:00' };
  const read = readNew({ ...BAKER, work }, NONE);
  assert.equal(read.work?.name, 'zoe-the-baker-work');
  assert.equal(read.work?.agent_name, 'zoe-the-baker');
  assert.deepEqual(read.resources.at(-1), {
    kind: 'Schedule',
    name: 'zoe-the-baker-work',
    spec: { agentName: 'zoe-the-baker', prompt: 'Bake.', dailyAt: '06:00', timeZone: 'Europe/Zurich' },
  });
  const empty = readNew({ ...BAKER, work: { ...work, prompt: '' } }, NONE);
  assert.equal(empty.work, null);
  assert.equal(empty.workProblems.prompt, 'Write the work for the agent');
  assert.notEqual(empty.agent, null);
});

const CHARACTER = {
  id: 'builder',
  name: 'Builder',
  line: 'Builds.',
  spec: { displayName: 'Builder', persona: { identity: 'You build.' } },
  schedule: { prompt: 'Test.', daily_at: '07:00' },
};

test('a character fills the form; a title that the person wrote stays, another choice replaces the rest', () => {
  const built = begunWith(BLANK_AGENT, CHARACTER);
  assert.equal(readNew(built, NONE).name, 'builder');
  assert.deepEqual(begunWith(built, null).spec, {}, 'the title of the character goes with it');
  const mine = begunWith(BAKER, CHARACTER);
  assert.deepEqual(mine.spec, { displayName: 'Zoë the Baker ', persona: { identity: 'You build.' } });
});

test('the schedule of a character is a suggestion', () => {
  const built = begunWith(BLANK_AGENT, CHARACTER);
  assert.equal(built.work, null);
  const work = firstWork(built, 'UTC');
  assert.deepEqual([work.prompt, work.dailyAt, work.timeZone], ['Test.', '07:00', 'UTC']);
  assert.equal(firstWork(BLANK_AGENT, 'UTC').prompt, '');
});
