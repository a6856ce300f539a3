import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { argumentNames } from './argument-names.ts';
import { renderOutcome } from './tool-outcome.ts';
import { defineTool } from './tool.ts';

const input = z.strictObject({
  items: z.array(z.strictObject({ text: z.string(), status: z.enum(['pending', 'done']).optional() })),
  note: z.string().optional(),
});
const tool = defineTool({
  name: 'list',
  description: 'Writes a list',
  input,
  effect: 'read',
  timeoutMs: 1_000,
  execute: async () => ({ kind: 'ok', text: '' }),
});

test('the names of arguments are those of the tool, or of the object at a path', () => {
  assert.deepEqual(argumentNames(input), ['items', 'note?']);
  assert.deepEqual(argumentNames(input, 'items.3'), ['text', 'status?']);
  for (const path of ['note', 'items.3.text', 'nothing']) assert.deepEqual(argumentNames(input, path), [], path);
});

test('a text in place of an object is refused with the fields of the object', () => {
  const prepared = tool.prepare({ items: ['bake'], note: 'x' });
  assert.ok(!prepared.ok);
  assert.match(
    renderOutcome(prepared.outcome),
    /- items\.0: [^\n]*expected object, received string; its fields are text, status\?$/,
  );
});
