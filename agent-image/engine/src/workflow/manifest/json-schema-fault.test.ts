import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { jsonSchemaFault } from './json-schema-fault.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
const place = (schema: object): string | null => jsonSchemaFault({ ...schema })?.at.join('.') ?? null;

test('schemas that Ajv accepts are accepted', () => {
  const $defs = { a: true, b: { type: ['string', 'null'] } };
  const good = [
    {},
    { type: 'object', properties: { type: { type: 'integer', minimum: 0 }, pattern: {} }, required: ['type'] },
    { type: 'array', items: { $ref: '#/$defs/a' }, prefixItems: [true, { $ref: '#/$defs/b' }], minItems: 1, $defs },
    {
      anyOf: [{ const: { pattern: 'x' } }, { enum: [1, 'a', null] }, { not: { multipleOf: 0.5 } }],
      default: { type: 7 },
    },
    { if: true, else: false, additionalProperties: { uniqueItems: true }, note: { type: 'whole' }, format: 'email' },
    { allOf: [{ properties: { a: false } }], title: 't', description: 'd', examples: [{ required: 'a' }] },
  ];
  for (const schema of good) {
    assert.equal(ajv.validateSchema(schema), true, JSON.stringify(schema));
    assert.equal(place(schema), null, JSON.stringify(schema));
  }
});

test('schemas that Ajv refuses are refused, at the keyword', () => {
  const bad: readonly (readonly [object, string])[] = [
    [{ type: 'whole' }, 'type'],
    [{ type: [] }, 'type'],
    [{ type: ['string', 'string'] }, 'type'],
    [{ properties: [] }, 'properties'],
    [{ properties: { a: 7 } }, 'properties'],
    [{ properties: { default: { type: 1 } } }, 'properties.default.type'],
    [{ required: 'a' }, 'required'],
    [{ required: ['a', 'a'] }, 'required'],
    [{ items: [true] }, 'items'],
    [{ allOf: [] }, 'allOf'],
    [{ anyOf: [true, { minLength: -1 }] }, 'anyOf.1.minLength'],
    [{ minimum: '1' }, 'minimum'],
    [{ multipleOf: 0 }, 'multipleOf'],
    [{ enum: 'a' }, 'enum'],
    [{ uniqueItems: 1 }, 'uniqueItems'],
    [{ $ref: 7 }, '$ref'],
    [{ title: 7 }, 'title'],
    [{ $defs: { a: { not: 1 } } }, '$defs.a.not'],
  ];
  for (const [schema, at] of bad) {
    assert.equal(ajv.validateSchema(schema), false, JSON.stringify(schema));
    assert.equal(place(schema), at, JSON.stringify(schema));
  }
});

test('patterns, other names for schemas, and references to what has no name are refused', () => {
  const refused: readonly (readonly [object, string])[] = [
    [{ properties: { a: { pattern: 'a' } } }, 'properties.a.pattern'],
    [{ $id: 'x' }, '$id'],
    [{ items: { $ref: '#/note/a' }, note: { a: { pattern: '(a+)+b' } } }, 'items.$ref'],
    [{ $ref: '#/$defs/none' }, '$ref'],
    [{ $ref: 'http://example.org/s' }, '$ref'],
  ];
  for (const [schema, at] of refused) assert.equal(place(schema), at, JSON.stringify(schema));
});
