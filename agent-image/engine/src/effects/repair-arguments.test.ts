import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { canonicalArguments } from '../journal/arguments.ts';
import { repairArguments } from './repair-arguments.ts';

const input = z.strictObject({
  place: z.string(),
  count: z.int().optional(),
  more: z.record(z.string(), z.unknown()).optional(),
});

const WRITTEN: readonly string[] = [
  '',
  ' ',
  '{"place":"market"}',
  '{ "more": {"b": 1.0, "a": 12345678901234567890, "__proto__": 1e999}, "place": "\\ud83e" }',
  '{"place":"market","count":"2"}',
  '{"place":1e3}',
  "{'place': 'market',}",
  '```json\n{"place":"market"}\n```',
  '"{\\"place\\":\\"market\\"}"',
  '{"other":-0}',
  '{"other":"x"',
  '["market"]',
  '"market"',
  `{"place":${'['.repeat(40)}${']'.repeat(40)}}`,
];

test('repaired arguments have the canonical form of their text in the journal', () => {
  for (const written of WRITTEN)
    for (const schema of [input, undefined])
      for (const isCut of [false, true]) {
        const { text, canonical } = repairArguments(written, schema && { input: schema }, isCut);
        assert.equal(canonical, canonicalArguments(text), written);
      }
});

const aliases = {
  where: 'place',
  where_to: 'place',
  dozens: { name: 'count', read: (value: unknown) => (typeof value === 'number' ? value * 12 : undefined) },
};

const NAMED: readonly (readonly [written: string, text: string])[] = [
  ['{"where":"market"}', '{"place":"market"}'],
  ['{"whereTo":"market","dozens":2}', '{"place":"market","count":24}'],
  ["{'where': 'mill',}", '{"place":"mill"}'],
  ['{"where":1.10}', '{"where":1.10}'],
  ['{"where":"market","place":"mill"}', '{"where":"market","place":"mill"}'],
  ['{"where":"market","where_to":"mill"}', '{"where":"market","where_to":"mill"}'],
  ['{"where":"market","dozens":"some"}', '{"where":"market","dozens":"some"}'],
  ['{"where":"market","other":1}', '{"where":"market","other":1}'],
  ['{"place":"market","more":{"where":"mill"}}', '{"place":"market","more":{"where":"mill"}}'],
];

test('an alias stands for its argument where that is certain and all arguments then fit', () => {
  for (const [written, expected] of NAMED) {
    const { text, canonical, repair } = repairArguments(written, { input, aliases }, false);
    assert.equal(text, expected);
    assert.equal(canonical, canonicalArguments(text), written);
    assert.equal(repair?.actions.includes('key_renamed') ?? false, text !== written, written);
  }
});
