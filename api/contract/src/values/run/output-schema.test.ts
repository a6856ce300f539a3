import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNestedDeeper, OUTPUT_SCHEMA_MAX_BYTES, OutputSchema, outputSchemaFault } from './output-schema.ts';

const TAKEN: readonly Record<string, unknown>[] = [
  {},
  { type: 'object', properties: { name: { type: 'string', minLength: 1 } }, required: ['name'] },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: { Item: { type: 'object', properties: { at: { type: 'integer', minimum: 0 } } } },
    properties: { items: { type: 'array', items: { $ref: '#/$defs/Item' } }, pattern: { enum: ['a', 'b'] } },
    additionalProperties: false,
  },
  { definitions: { 'A.b-c': true }, anyOf: [{ $ref: '#/definitions/A.b-c' }, { type: 'null' }] },
  { const: { pattern: 'x', $ref: 'elsewhere' }, default: [{ pattern: 'x' }], examples: [{ $id: 'x' }] },
];

test('schemas as libraries write them are taken', () => {
  for (const schema of TAKEN) assert.equal(outputSchemaFault(schema), null, JSON.stringify(schema));
});

const ref = (at: number) => ({ $ref: `#/$defs/d${at}` });
/** Each definition leads twice to the next one: 2^40 parts. */
const doubling = {
  $defs: Object.fromEntries([
    ...Array.from({ length: 40 }, (_, at): [string, object] => [`d${at}`, { allOf: [ref(at + 1), ref(at + 1)] }]),
    ['d40', {}],
  ]),
  $ref: '#/$defs/d0',
};
const nested = (levels: number): object => Array.from({ length: levels }).reduce<object>((items) => ({ items }), {});

const REFUSED: readonly (readonly [schema: object, path: string, message: RegExp])[] = [
  [{ properties: { name: { pattern: '(a+)+$' } } }, 'properties.name.pattern', /leave out pattern, whose check can/],
  [{ patternProperties: { '(a+)+$': {} } }, 'patternProperties', /leave out patternProperties/],
  [{ items: { uniqueItems: true } }, 'items.uniqueItems', /leave out uniqueItems/],
  [{ anyOf: [{}, { not: {} }] }, 'anyOf.1.not', /does not check it/],
  [{ $id: 'https://example.org/a' }, '$id', /leave out this keyword/],
  [{ items: { $dynamicRef: '#x' } }, 'items.$dynamicRef', /leave out this keyword/],
  [{ $ref: 'https://example.org/schema.json' }, '$ref', /refer to a definition of this schema/],
  [{ $ref: '#' }, '$ref', /refer to a definition/],
  [{ items: { $ref: '#/$defs/None' } }, 'items.$ref', /there is no definition/],
  [{ items: { $ref: '#/$defs/toString' }, $defs: {} }, 'items.$ref', /there is no definition/],
  [{ $defs: { A: { items: { $ref: '#/$defs/A' } } } }, '$defs.A', /does not lead back to itself/],
  [
    { $defs: { A: { $ref: '#/$defs/B' }, B: { anyOf: [{ $ref: '#/$defs/A' }] } }, $ref: '#/$defs/A' },
    '$defs.A',
    /does not lead back/,
  ],
  [{ items: { $defs: { A: {} } } }, 'items.$defs', /move it to the top/],
  [{ items: { $schema: 'x' } }, 'items.$schema', /move it to the top/],
  [{ properties: { a: 5 } }, 'properties.a', /write a schema/],
  [{ properties: [] }, 'properties', /a schema for each name/],
  [{ allOf: {} }, 'allOf', /a list of schemas/],
  [{ enum: Array.from({ length: 600 }, (_, at) => at) }, '', /at most 256 parts/],
  [doubling, '$defs.d33', /at most 256 parts/],
  [nested(40), '', /at most 32 levels/],
  [nested(20_000), '', /at most 32 levels/],
  [{ description: 'x'.repeat(OUTPUT_SCHEMA_MAX_BYTES) }, '', /at most 16384 bytes/],
  [{ description: 'é'.repeat(OUTPUT_SCHEMA_MAX_BYTES / 2) }, '', /at most 16384 bytes/],
];

test('a schema that is too large, leads elsewhere or takes long to check is refused with the place', () => {
  for (const [schema, path, message] of REFUSED) {
    const { issues = [] } = OutputSchema.safeParse(schema).error ?? {};
    const [issue] = issues;
    assert.equal(issue?.path.join('.'), path, issue?.message ?? `accepted: ${path}`);
    assert.match(issue?.message ?? '', message);
  }
});

test('nesting is measured at any depth without recursion', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  assert.deepEqual(
    [isNestedDeeper(deep, 32), isNestedDeeper([[1]], 2), isNestedDeeper([[[1]]], 2)],
    [true, false, true],
  );
  assert.equal(isNestedDeeper('text', 0), false);
});
