import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VILLAGE_SETTINGS, type VillageSettingKey } from '@hamlet/contract';
import { kindOf, readSetting, textOf, valueLabel } from './setting-draft.ts';

const KEYS = Object.keys(VILLAGE_SETTINGS) as VillageSettingKey[];
const fieldOf = (key: VillageSettingKey) => kindOf({ schema: VILLAGE_SETTINGS[key].schema.toJSONSchema() });

test('every setting of the village has a field of its kind', () => {
  assert.equal(fieldOf('egress_open'), 'switch');
  assert.equal(fieldOf('brand_color'), 'color');
  for (const key of KEYS.filter((each) => each.endsWith('_days'))) assert.equal(fieldOf(key), 'number', key);
  for (const key of ['brand_name', 'time_zone', 'daily_allowance'] as const) assert.equal(fieldOf(key), 'text', key);
  assert.equal(kindOf({ schema: null }), null);
});

test('a value that a field shows is the value that it reads', () => {
  for (const [kind, value] of [
    ['switch', true],
    ['switch', false],
    ['number', 0],
    ['number', 30],
    ['color', '#2f6f4e'],
    ['text', 'Europe/Zurich'],
  ] as const)
    assert.deepEqual(readSetting(kind, textOf(value)), { ok: true, value });
});

test('a text that is not a value of its kind has a problem with the fix', () => {
  for (const text of ['-1', '1.5', 'soon', '1e3']) {
    const read = readSetting('number', text);
    assert.match(read.ok ? '' : read.problem, /whole number/, text);
  }
  assert.deepEqual(readSetting('text', ' '), { ok: false, problem: 'Write a value' });
});

test('values are shown in words', () => {
  assert.deepEqual([true, false, 0, 'UTC', null].map(valueLabel), ['On', 'Off', '0', 'UTC', 'not known here']);
});
