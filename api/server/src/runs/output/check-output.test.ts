import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OUTPUT_SCHEMA_PARTS_MAX, outputSchemaFault, RUN_OUTPUT_MAX_VALUES } from '@hamlet/contract';
import { collectGarbage } from '../../start/collect-garbage.ts';
import { checkOutput, faultOfSchema, SCHEMAS_OF_INSTANCE } from './check-output.ts';

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $defs: { Bread: { type: 'object', properties: { loaves: { type: 'integer' } }, required: ['loaves'] } },
  type: 'array',
  items: { $ref: '#/$defs/Bread' },
};
const check = (given: string | undefined, schema: object = SCHEMA) => checkOutput(JSON.stringify(schema), given);
const why = async (given: string | undefined, schema?: object): Promise<string> => {
  const checked = await check(given, schema);
  return checked.fits ? 'fits' : checked.why;
};

test('a library that cannot be loaded is not a fault of the schema, and the next check loads it again', async () => {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier.startsWith('ajv/')) throw new Error('EMFILE: too many open files');
      return next(specifier, context);
    },
  });
  await assert.rejects(faultOfSchema(SCHEMA), /EMFILE/);
  hooks.deregister();
  assert.equal(await faultOfSchema(SCHEMA), null);
});

test('an output that fits is kept as JSON with all digits of its numbers', async () => {
  assert.deepEqual(await check('[ {"loaves": 3} ]'), { fits: true, json: '[{"loaves":3}]' });
  const long = '[{"loaves":12345678901234567890,"at":1.0,"__proto__":{"loaves":1e2}}]';
  assert.deepEqual(await check(long), { fits: true, json: long });
  assert.deepEqual(await check('[{"loaves":"x","loaves":3}]'), { fits: true, json: '[{"loaves":3}]' });
});

test('an output that is missing, no JSON, nested too deeply or of another form is refused with the reason', async () => {
  assert.match(await why(undefined), /^The agent gave no output: reboot/);
  for (const text of ['', 'Three.', "[{'loaves':3}]", '[{"loaves":3}', '[NaN]'])
    assert.equal(await why(text), 'The output is not JSON', text);
  assert.match(await why('{"loaves":3}'), /does not fit: the whole must be array$/);
  assert.match(await why('[{"loaves":3},{"loaves":3.5}]'), /does not fit: \/1\/loaves must be integer$/);
  assert.match(await why('[{}]'), /\/0 must have required property 'loaves'$/);
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  assert.match(await why(deep, {}), /more than 32 levels/);
  assert.match(await why('1e999', { type: 'number' }), /must be number/);
});

test('a schema that cannot be compiled is refused with the place', async () => {
  assert.equal(await faultOfSchema(SCHEMA), null);
  const faults = [
    [{ properties: { a: { type: 'strin' } } }, /output_schema\/properties\/a\/type/],
    [{ required: 'a' }, /output_schema\/required must be array/],
    [{ minLength: -1 }, /output_schema\/minLength must be >= 0/],
    [{ anyOf: [] }, /output_schema\/anyOf/],
  ] as const;
  for (const [schema, message] of faults) {
    assert.equal(outputSchemaFault(schema), null, 'the contract leaves it to the compiler');
    assert.match((await faultOfSchema(schema)) ?? '', message);
  }
});

test('the largest schema with the most values is checked in a bounded time', async (context) => {
  const branch = { properties: { b: { const: 1 } }, required: ['b'] };
  const items = { anyOf: [...Array.from({ length: Math.floor(OUTPUT_SCHEMA_PARTS_MAX / 4) - 1 }, () => branch), {}] };
  const schema = { items };
  assert.equal(outputSchemaFault(schema), null);
  const list = (length: number): string => `[${Array.from({ length }, () => '{}').join(',')}]`;
  const output = list(RUN_OUTPUT_MAX_VALUES - 1);
  const begun = process.cpuUsage();
  assert.equal(await why(output, schema), 'fits');
  const { user, system } = process.cpuUsage(begun);
  assert.match(await why(list(RUN_OUTPUT_MAX_VALUES), schema), /more than 2000 values/);
  context.diagnostic(`${((user + system) / 1_000).toFixed(0)} ms of processor`);
});

test('the process keeps few of the schemas that it has compiled', async () => {
  const parts: WeakRef<object>[] = [];
  for (let number = 0; number < 4 * SCHEMAS_OF_INSTANCE; number += 1) {
    const schema = { properties: { loaves: { const: number } } };
    parts.push(new WeakRef(schema.properties));
    assert.equal(await faultOfSchema(schema), null);
  }
  await nextTurn();
  await collectGarbage();
  const kept = parts.filter((part) => part.deref() !== undefined).length;
  assert.ok(kept <= SCHEMAS_OF_INSTANCE, `${kept} of ${parts.length} schemas are kept`);
});
