import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PolicyTrial, type PolicyProposal, TOOL_CLASSES } from '@hamlet/contract';
import {
  sourceLabel,
  answersLabel,
  classesLabel,
  classWords,
  draftOf,
  headline,
  layerKey,
  layerOf,
  loosens,
  proposalOf,
  ruleLabel,
  unknownLabels,
} from './rules-labels.ts';

const VILLAGE: PolicyProposal = { of: 'village', rules: [{ tools: ['publish'], verdict: 'ask' }] };
const ADA: PolicyProposal = { of: 'agent', agent_id: 'ada', tools: { allow: ['read'] } };

test('a rule names its classes in words and its tools by their names; with all classes it covers everything', () => {
  assert.deepEqual(['publish', 'post_to_board', 'constructor'].map(classWords), ['Write on the board', null, null]);
  assert.equal(classesLabel(['spend', 'shell', 'read']), 'Spend money; look around and read.');
  assert.equal(classesLabel(['shell']), '');
  assert.equal(classesLabel([...TOOL_CLASSES, 'shell']), 'Everything that an agent can do.');
});

test('a layer and its key convert into each other', () => {
  for (const layer of [{}, { agent_id: 'ada' }, { tier: 'tier-0' }]) assert.deepEqual(layerOf(layerKey(layer)), layer);
});

test('the unchanged text proposes the rules in force, and text that is not JSON gives a problem', () => {
  for (const inForce of [VILLAGE, ADA])
    assert.deepEqual(proposalOf(draftOf(inForce), inForce), { ok: true, proposal: inForce });
  const wrong = proposalOf('[', VILLAGE);
  assert.match(wrong.ok ? '' : wrong.problem, /^Write JSON: /);
});

test('the report has sentences, also about calls that were not judged', () => {
  assert.match(headline({ judged: 0, changed: 0 }), /No call/);
  assert.match(headline({ judged: 1, changed: 0 }), /none of 1 call of/);
  assert.match(headline({ judged: 12_345, changed: 1_234 }), /change 1,234 of 12,345 calls/);
  assert.equal(answersLabel({ allowed: 0, denied: 0, expired: 0 }), null);
  assert.equal(answersLabel({ allowed: 2, denied: 0, expired: 1 }), 'Then: 2 allowed, 1 expired');
  const trial = PolicyTrial.parse({
    since: '2026-11-18T12:10:00Z',
    until: '2026-11-25T12:10:00Z',
    looked_at: 50_000,
    judged: 49_997,
    changed: 0,
    cut: 'time',
    not_judged: { older: 7, without_facts: 1, run_gone: 2, agent_gone: 0 },
    changes: [],
    by_class: [],
    by_agent: [],
    examples: [],
    took_ms: 4,
  });
  assert.deepEqual(
    unknownLabels(trial).map((text) => text.split(' ', 2).join(' ')),
    ['7 calls', '1 call', '2 calls'],
  );
});

test('a change with a less strict verdict counts as loosening', () => {
  assert.ok(loosens({ from: 'deny', to: 'ask' }) && loosens({ from: 'ask', to: 'allow' }));
  assert.ok(!loosens({ from: 'allow', to: 'deny' }) && !loosens({ from: 'allow', to: 'ask' }));
});

test('the deciding rule is shown with its layer', () => {
  const rule = { tools: ['a', 'b', 'c', 'd', 'e'], verdict: 'deny', from: 'tier' } as const;
  assert.equal(
    ruleLabel({ verdict: 'deny', reason: 'No', rule: { ...rule, tools: [...rule.tools] } }),
    'No (rule of the tier about a, b, c, d …)',
  );
  assert.equal(ruleLabel({ verdict: 'ask', reason: 'Tainted', rule: null }), 'Tainted');
});

test('the page says where the rules come from, and whether they change here', () => {
  const of = (source: 'chart' | 'village', editable: boolean) => sourceLabel({ version: '', source, editable });
  assert.match(sourceLabel(null), /spec\.tools/);
  assert.match(of('chart', true), /Change them below/);
  assert.match(of('chart', false), /api\.editableRules/);
  assert.match(of('village', true), /An admin has put these rules in force/);
});
