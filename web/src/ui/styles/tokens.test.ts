import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accentColors } from '../brand-colors.ts';

const SHEET = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

/** The opaque colours of a theme, by token name. */
function coloursOf(selector: string): ReadonlyMap<string, string> {
  const from = SHEET.indexOf(selector);
  assert.ok(from >= 0, selector);
  return new Map(
    [...SHEET.slice(from, SHEET.indexOf('}', from)).matchAll(/--([\w-]+): (?:var\(--[\w-]+, )?(#[0-9a-f]{6})/g)].map(
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
  test(`${selector}: text has a contrast of 4.5 to 1, and edges of fields 3 to 1`, () => {
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

test('any colour of a village is readable in both themes', () => {
  const parts = ['00', '33', '66', '99', 'cc', 'ff'];
  const brands = parts.flatMap((red) => parts.flatMap((green) => parts.map((blue) => `#${red}${green}${blue}`)));
  for (const [theme, selector] of [
    ['light', ':root {'],
    ['dark', ":root[data-theme='dark'] {"],
  ] as const) {
    const colours = coloursOf(selector);
    for (const brand of brands) {
      const { accent, ink, soft } = accentColors(brand, theme);
      const grounds = [colours.get('paper-solid'), colours.get('paper-deep'), soft];
      for (const ground of grounds)
        assert.ok(contrast(accent, ground ?? '') >= 4.5, `${brand}: ${accent} on ${ground}`);
      assert.ok(contrast(ink, accent) >= 4.5, `${brand}: ${ink} on ${accent}`);
      assert.ok(contrast(colours.get('ink-soft') ?? '', soft) >= 4.5, `${brand}: soft text on ${soft}`);
    }
  }
});

/** The contrast of two colours, 1 to 21, as WCAG 2.2 computes it. Colours are `#rrggbb`. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((left, right) => right - left);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
