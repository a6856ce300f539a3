import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { contrast } from '../contrast.fixture.ts';

const SHEET = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

/** The solid colours of a theme, by the name of their token. */
function coloursOf(selector: string): ReadonlyMap<string, string> {
  const from = SHEET.indexOf(selector);
  assert.ok(from >= 0, selector);
  return new Map(
    [...SHEET.slice(from, SHEET.indexOf('}', from)).matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(
      ([, name = '', colour = '']) => [name, colour],
    ),
  );
}

const ON_PAPER = ['ink', 'ink-soft', 'ink-faint', 'accent', 'good', 'sleep', 'bad', 'waiting'];
const TEXT: readonly (readonly [string, string])[] = [
  ...ON_PAPER.flatMap(
    (name) =>
      [
        [name, 'paper-solid'],
        [name, 'paper-deep'],
      ] as const,
  ),
  ...['accent', 'good', 'sleep', 'bad', 'waiting'].map((name) => [name, `${name}-soft`] as const),
  ['ink', 'bad-soft'],
  ['ink', 'waiting-soft'],
  ['ink-soft', 'accent-soft'],
  ['accent-ink', 'accent'],
  ['danger-ink', 'bad'],
];

for (const selector of [':root {', ":root[data-theme='dark'] {", ":root[data-theme='system'] {"]) {
  test(`${selector} text reads at 4.5 to 1, and the edges of fields are seen at 3 to 1`, () => {
    const colours = coloursOf(selector);
    const at = (name: string): string => {
      const colour = colours.get(name);
      assert.ok(colour, name);
      return colour;
    };
    for (const [text, ground] of TEXT) {
      const ratio = contrast(at(text), at(ground));
      assert.ok(ratio >= 4.5, `${text} on ${ground}: ${ratio.toFixed(2)}`);
    }
    assert.ok(contrast(at('field-line'), at('paper-solid')) >= 3, 'field-line');
  });
}
