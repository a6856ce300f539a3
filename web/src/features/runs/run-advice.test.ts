import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureSentence, tokensHelp } from './run-advice.ts';

test('a failure names its cause and who can mend it', () => {
  const refused = { code: 'model_auth', message: 'The model answered 401' };
  assert.equal(
    failureSentence(refused, 'member'),
    'The model answered 401. Ask an admin to renew the key of the model, which its provider refused.',
  );
  assert.match(failureSentence(refused, 'admin'), /^The model answered 401\. You can renew the key/);
  assert.equal(
    failureSentence({ code: 'unheard_of', message: 'It broke!' }, 'member'),
    'It broke! Write again, or look at the run.',
  );
});

test('a run that a freeze ended says so in the past, because an admin may have lifted the freeze', () => {
  const frozen = { code: 'model_village_frozen', message: 'The village is frozen' };
  assert.equal(
    failureSentence(frozen, 'admin'),
    'A freeze of the village ended the run. Write again once the freeze is lifted.',
  );
});

test('more tokens an hour help where the quota of the agent was the limit', () => {
  assert.deepEqual(
    ['budget_tokens', 'model_token_quota_exhausted', 'budget_steps', 'model_auth'].map((code) => tokensHelp({ code })),
    [false, true, false, false],
  );
  assert.equal(tokensHelp(null), false);
});
