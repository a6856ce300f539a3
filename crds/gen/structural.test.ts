import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { DEFINITIONS } from './definitions.ts';
import { NotStructuralError, structural, type Structural } from './structural.ts';

const of = (schema: z.ZodType): Structural =>
  structural(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', reused: 'inline' }) as Structural, 'spec');

const refused: readonly (readonly [string, z.ZodType, RegExp])[] = [
  ['a string without maxLength', z.strictObject({ a: z.string() }), /spec\.a: the type string needs maxLength/],
  ['a list without maxItems', z.strictObject({ a: z.array(z.boolean()) }), /spec\.a: the type array needs maxItems/],
  [
    'a map without maxProperties',
    z.strictObject({ a: z.record(z.string(), z.boolean()) }),
    /spec\.a: the type object needs maxProperties/,
  ],
  ['an integer without bounds', z.strictObject({ a: z.int32().min(0).meta({ maximum: undefined }) }), /needs maximum/],
  ['a union', z.strictObject({ a: z.union([z.boolean(), z.int()]) }), /spec\.a: anyOf is not structural/],
  [
    'a discriminated union',
    z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
    /spec: oneOf is not structural/,
  ],
  [
    'a pattern, because its message is hard to understand',
    z.strictObject({ a: z.string().max(3).regex(/a/) }),
    /spec\.a: pattern is not structural/,
  ],
  ['a float', z.strictObject({ a: z.number() }), /spec\.a: has the type number/],
  [
    'free keys beside properties',
    z.object({ a: z.boolean() }).catchall(z.boolean()),
    /spec: has both properties and additionalProperties: leave one of them out/,
  ],
  [
    'an unbounded string in a list',
    z.strictObject({ a: z.array(z.string()).max(2) }),
    /spec\.a\[\]: the type string needs maxLength/,
  ],
];

for (const [what, schema, message] of refused) {
  test(`refuses ${what}`, () => {
    assert.throws(
      () => of(schema),
      (error) => error instanceof NotStructuralError && message.test(error.message),
    );
  });
}

test('drops additionalProperties: false and keeps rules, defaults and list keys', () => {
  const schema = z.strictObject({
    a: z
      .string()
      .meta({ maxLength: 3, 'x-kubernetes-validations': [{ rule: 'r', message: 'm' }] })
      .default('x'),
    b: z
      .array(z.strictObject({ type: z.string().max(9) }))
      .max(2)
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }),
  });
  assert.deepEqual(of(schema), {
    type: 'object',
    required: ['b'],
    properties: {
      a: { type: 'string', default: 'x', maxLength: 3, 'x-kubernetes-validations': [{ rule: 'r', message: 'm' }] },
      b: {
        type: 'array',
        maxItems: 2,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
        items: { type: 'object', required: ['type'], properties: { type: { type: 'string', maxLength: 9 } } },
      },
    },
  });
});

test('a default of an object carries the defaults of its fields', () => {
  const inner = z.strictObject({ a: z.enum(['x', 'y']).default('x'), b: z.boolean().optional() }).prefault({ b: true });
  assert.deepEqual(
    (of(z.strictObject({ inner })) as { properties: { inner: { default: unknown } } }).properties.inner.default,
    { a: 'x', b: true },
  );
});

test('every kind is structural', () => {
  for (const definition of DEFINITIONS) assert.doesNotThrow(() => customResourceDefinition(definition));
});
