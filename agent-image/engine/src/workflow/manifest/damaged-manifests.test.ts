import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diceOf, seedOf, type Dice } from '../../testing/dice.ts';
import { compilePlan } from '../plan/compile-plan.ts';
import { SAMPLE_MANIFESTS } from '../testing/sample-manifests.ts';
import { readManifests } from './read-manifests.ts';

const CASES = 150;
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ': ',
  '- ',
  '\n',
  '"',
  "'",
  '#',
  '&a ',
  '*a',
  '!!str ',
  '=',
  'null',
  '9e99',
  '\0',
  '🦊',
  '  ',
];

/** The text with up to three pieces cut out, put in or moved. */
function damaged(text: string, dice: Dice): string {
  let result = text;
  for (let count = dice.below(3); count >= 0; count -= 1) {
    const [at, length] = [dice.below(result.length), dice.below(12)];
    const cut = result.slice(at, at + length);
    const without = result.slice(0, at) + result.slice(at + length);
    const into = dice.below(without.length + 1);
    const piece = dice.of(['', cut, dice.of(PIECES)]);
    result = without.slice(0, into) + piece + without.slice(into);
  }
  return result;
}

test('damaged manifests are read or refused: each error has a place in its file, and what is read compiles', (t) => {
  const seed = seedOf();
  t.diagnostic(`SEED=${seed}`);
  const dice = diceOf(seed);
  let refused = 0;
  for (let count = 0; count < CASES; count += 1) {
    const [name, text] = dice.of([...SAMPLE_MANIFESTS]);
    const files = new Map(SAMPLE_MANIFESTS).set(name, damaged(text, dice));
    const result = readManifests(files);
    const where = `case ${count}, ${name}: ${files.get(name)}`;
    if (result.ok)
      for (const { id } of result.value.pipelines) assert.equal(compilePlan(result.value, id).ok, true, where);
    else refused += 1;
    for (const { file, line, column, message } of result.ok ? [] : result.errors) {
      const written = files.get(file)?.split('\n')[line - 1];
      assert.ok(
        written !== undefined && column >= 1 && column <= written.length + 1,
        `${line}:${column} ${message}, ${where}`,
      );
      assert.notEqual(message, '', where);
    }
  }
  t.diagnostic(`${refused} of ${CASES} refused`);
});
