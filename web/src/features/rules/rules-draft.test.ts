import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedRule, rulesOfText, withRules } from './rules-draft.ts';

const RULE = { tools: ['publish'], verdict: 'ask', examples: { match: [{ tool: 'post_to_board' }] } };

test('the list shows the rules of the village, and those of a tier or an Agent beside its other parts', () => {
  assert.deepEqual(rulesOfText(JSON.stringify([RULE]), 'village'), [RULE]);
  const tools = JSON.stringify({ allow: ['read'], rules: [RULE] });
  assert.deepEqual(rulesOfText(tools, 'agent'), [RULE]);
  assert.deepEqual(JSON.parse(withRules(tools, 'agent', [])), { allow: ['read'], rules: [] });
  assert.deepEqual(rulesOfText('{}', 'tier'), [], 'a tier without rules of its own');
  assert.deepEqual(JSON.parse(withRules('[]', 'village', [RULE])), [RULE]);
});

test('a text in another form shows only as JSON', () => {
  for (const text of ['[', '{}', '["publish"]', 'null']) assert.equal(rulesOfText(text, 'village'), null, text);
  for (const text of ['[]', '{"rules":{}}']) assert.equal(rulesOfText(text, 'agent'), null, text);
});

test('a change keeps the examples of a rule, and removes what is empty or needs the verdict allow', () => {
  assert.deepEqual(changedRule(RULE, { verdict: 'deny', reason: 'Not now' }), {
    ...RULE,
    verdict: 'deny',
    reason: 'Not now',
  });
  assert.deepEqual(changedRule({ ...RULE, when: 'run' }, { when: '' }), RULE);
  const trusting = { tools: ['send'], verdict: 'allow', reason: 'Our own host', tainted: 'allow' };
  assert.deepEqual(changedRule(trusting, { reason: 'Ours' }), { ...trusting, reason: 'Ours' });
  assert.deepEqual(changedRule(trusting, { verdict: 'ask' }), {
    tools: ['send'],
    verdict: 'ask',
    reason: 'Our own host',
  });
});
