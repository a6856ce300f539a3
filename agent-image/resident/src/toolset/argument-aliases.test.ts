import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argumentNames } from '@hamlet/engine';
import { repairAndValidate } from '@hamlet/engine/json';
import { handsTools } from '../hands/tools/hands-tools.ts';
import { aHandsKit } from '../testing/a-hands-kit.ts';
import type { ToolKit } from '../tools/tool-kit.ts';
import { villageTools } from '../tools/village-tools.ts';
import { ALIASES, aliasesOf } from './argument-aliases.ts';

const TOOLS = [...villageTools({} as ToolKit), ...handsTools(aHandsKit({ socket: '/none', workspace: '/workspace' }))];
const named = (name: string) => TOOLS.find((tool) => tool.name === name) ?? assert.fail(name);

test('each alias means an argument of its tool, and is not itself the name of one', () => {
  const aliased = TOOLS.filter(({ aliases }) => aliases !== undefined);
  assert.deepEqual(aliased.map(({ name }) => name).toSorted(), Object.keys(ALIASES).toSorted());
  for (const { name, input, aliases = {} } of aliased) {
    assert.equal(aliases, aliasesOf(name));
    const own = argumentNames(input).map((each) => each.replace('?', ''));
    for (const [alias, target] of Object.entries(aliases)) {
      assert.ok(own.includes(typeof target === 'string' ? target : target.name), `${name}.${alias}`);
      const given = repairAndValidate(JSON.stringify({ [alias]: '1' }), input);
      assert.ok(!given.ok && JSON.stringify(given.issues).includes('Unrecognized'), `${name} has no ${alias}`);
    }
  }
});

const LIMITS: readonly (readonly [alias: string, value: unknown, seconds: number | undefined])[] = [
  ['timeout', 600, 600],
  ['timeout', '30', 30],
  ['timeout', 120_000, 120],
  ['timeout', 1_800, undefined],
  ['timeout', 86_400, undefined],
  ['timeout', ' 30 ', 30],
  ['timeout', '+3e1', 30],
  ['timeout', '99999999999999999999', undefined],
  ['timeout', 'soon', undefined],
  ['timeout_ms', 1_500, 2],
  ['timeout_ms', '1500.5', 2],
];

test('a time limit without a unit counts only where it cannot mean two things', () => {
  for (const [alias, value, seconds] of LIMITS) {
    const target = named('shell').aliases?.[alias];
    assert.ok(target !== undefined && typeof target !== 'string');
    assert.deepEqual([target.name, target.read(value)], ['timeout_s', seconds], `${alias} ${String(value)}`);
  }
});
