import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VillageRule, VillageRules } from '@hamlet/contract';
import { missingDenials, rulesInForce } from './village-rules.ts';

const DENIAL: VillageRule = { tools: ['network'], verdict: 'deny', reason: 'No net' };
const CHART: VillageRules = [{ tools: ['read', 'exec'], verdict: 'allow' }, DENIAL];
const STORED: VillageRules = [{ tools: ['read'], verdict: 'allow' }];
const row = (value: unknown, key = 'tool_rules') => ({ key, value });
const chart = { rules: CHART, editable: true };

test('stored rules replace those of the chart, whose denials stay in force, once', () => {
  assert.deepEqual(rulesInForce(chart, []).rules, CHART);
  assert.deepEqual(rulesInForce(chart, [row(STORED, 'time_zone')]).source, 'chart');
  const stored = rulesInForce(chart, [row(STORED)]);
  assert.deepEqual([stored.source, stored.rules], ['village', [DENIAL, ...STORED]]);
  const whole = rulesInForce(chart, [row([...STORED, DENIAL])]);
  assert.deepEqual(whole.rules, [...STORED, DENIAL]);
  assert.notEqual(whole.version, stored.version);
  assert.deepEqual(missingDenials(CHART, [{ ...DENIAL, reason: 'Another reason' }]), [DENIAL]);
});

test('only the rules of a chart that keeps them count', () => {
  assert.deepEqual(rulesInForce({ rules: CHART, editable: false }, [row(STORED)]).rules, CHART);
});

test('stored rules that this version cannot use ask about everything, so that nothing becomes allowed', () => {
  for (const value of ['all', [], [{ tools: ['no_such_tool'], verdict: 'allow' }], Array(65).fill(STORED[0])]) {
    const { rules, source } = rulesInForce(chart, [row(value)]);
    assert.equal(source, 'village');
    assert.deepEqual(
      rules.map(({ verdict }) => verdict),
      ['deny', 'ask'],
    );
    assert.ok(rules[1]?.tools.includes('exec'));
  }
});
