import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endedAtLimit, failureSentence, tokensHelp } from './run-advice.ts';

test('a failure names its cause and who can mend it', () => {
  const refused = { code: 'model_auth', message: 'The model did not answer: auth.' };
  assert.equal(
    failureSentence(refused, 'member'),
    'The provider refuses the key. Ask an admin to store a valid key of this provider, and check that the key may use this model.',
  );
  assert.match(failureSentence(refused, 'admin'), /^The provider refuses the key\. You can store a valid key/);
  const quota = { code: 'model_token_quota_exhausted', message: 'The tokens of the hour are used up until 14:00' };
  assert.equal(failureSentence(quota, 'member'), `${quota.message}. Write again then, or add tokens.`);
  assert.equal(
    failureSentence({ code: 'unheard_of', message: 'It broke!' }, 'member'),
    'It broke! Write again, or look at the run.',
  );
});

test('a program that did not start names what an admin can look at, not only to write again', () => {
  const late = { code: 'acp_not_started', message: 'The program did not start: it did not answer within 120 s.' };
  assert.match(failureSentence(late, 'admin'), /120 s\. You can check that the tier .* about 1 GiB\.$/);
  const wrong = { code: 'acp_misconfigured', message: 'There is no preset toys.' };
  assert.match(failureSentence(wrong, 'member'), /^There is no preset toys\. Ask an admin to correct spec\.runtime/);
});

test('a run that a freeze ended says so in the past, because an admin may have lifted the freeze', () => {
  const frozen = { code: 'model_village_frozen', message: 'The village is frozen' };
  assert.equal(failureSentence(frozen, 'admin'), 'The village was frozen. Write again once the freeze is lifted.');
});

test('more tokens an hour help where the quota of the agent was the limit', () => {
  assert.deepEqual(
    ['budget_tokens', 'model_token_quota_exhausted', 'budget_steps', 'model_auth'].map((code) => tokensHelp({ code })),
    [false, true, false, false],
  );
  assert.equal(tokensHelp(null), false);
});

test('a run that ended at a limit of its own can be continued', () => {
  assert.deepEqual(
    ['budget_steps', 'no_progress', 'time_limit', 'model_auth', 'disk_full'].map((code) => endedAtLimit({ code })),
    [true, true, true, false, false],
  );
  assert.equal(endedAtLimit(null), false);
});
