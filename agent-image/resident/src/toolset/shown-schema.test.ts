import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { shownSchema, slimSchema } from './shown-schema.ts';

test('keywords that only a validator needs are left out, at every depth', () => {
  const input = z.strictObject({
    post_id: z.uuid().describe('The post'),
    at: z.iso.datetime(),
    rows: z.array(z.strictObject({ text: z.string().max(9), count: z.int().default(0) })).max(50),
    kind: z.enum(['file', 'patch']).default('file'),
  });
  assert.deepEqual(shownSchema(input), {
    type: 'object',
    properties: {
      post_id: { type: 'string', description: 'The post' },
      at: { type: 'string' },
      rows: {
        type: 'array',
        maxItems: 50,
        items: {
          type: 'object',
          properties: { text: { type: 'string' }, count: { type: 'integer' } },
          required: ['text'],
        },
      },
      kind: { type: 'string', enum: ['file', 'patch'], default: 'file' },
    },
    required: ['post_id', 'at', 'rows'],
  });
  assert.equal(shownSchema(input), shownSchema(input), 'it is made once');
});

test('keywords that help a model stay: limits, short patterns, alternatives and maps', () => {
  const kept = {
    type: 'object',
    properties: {
      seconds: { type: 'integer', minimum: 10, maximum: 600, default: 120 },
      month: { type: 'string', pattern: '^\\d{4}-\\d{2}$' },
      item: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
    },
  };
  assert.deepEqual(slimSchema(kept), kept);
});

test('a property with the name of a keyword is a property', () => {
  const schema = {
    type: 'object',
    properties: { format: { type: 'string', format: 'uri' }, title: { type: 'string' } },
  };
  assert.deepEqual(slimSchema(schema), {
    type: 'object',
    properties: { format: { type: 'string' }, title: { type: 'string' } },
  });
});

test('a long list of values is left out only where words name the usual ones', () => {
  const values = Array.from({ length: 20 }, (_, at) => `v${at}`);
  assert.deepEqual(slimSchema({ type: 'string', enum: values, description: 'v1, v2 and so on' }), {
    type: 'string',
    description: 'v1, v2 and so on',
  });
  assert.deepEqual(slimSchema({ type: 'string', enum: values }), { type: 'string', enum: values });
});
