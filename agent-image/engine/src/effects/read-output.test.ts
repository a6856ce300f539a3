import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOutput } from './read-output.ts';

test('a small answer gets all its faults, and a large one the first, so that many alternatives fill no memory', () => {
  const branch = (at: number) => ({ properties: { b: { const: at } }, required: ['b'] });
  const schema = { type: 'array', items: { anyOf: Array.from({ length: 120 }, (_, at) => branch(at)) } };
  const small = readOutput('[{},{}]', { type: 'array', items: branch(1) });
  assert.equal(small.text, '0.b: it is missing; 1.b: it is missing');
  const before = process.memoryUsage().heapUsed;
  const large = readOutput(`[${Array.from({ length: 20_000 }, () => '{}').join(',')}]`, schema);
  const grown = process.memoryUsage().heapUsed - before;
  assert.match(large.text, /^0\.b: it is missing;/);
  const many = readOutput(`[${'1,'.repeat(5_000)}1]`, { type: 'array' });
  assert.deepEqual(many, {
    code: 'JSON_SCHEMA_MAJOR_MISMATCH',
    text: 'the answer has more than 2000 values',
    repair: [],
  });
  assert.ok(grown < 128 << 20, `${grown >> 20} MiB`);
});

test('many wrong values, each with a long list of right ones, fill no memory', () => {
  const schema = {
    $defs: { e: { enum: ['x'.repeat(14_000)] } },
    items: { anyOf: Array.from({ length: 80 }, () => ({ $ref: '#/$defs/e' })) },
  };
  const before = process.memoryUsage().heapUsed;
  const read = readOutput(`[${Array.from({ length: 499 }, () => '1').join(',')}]`, schema);
  const grown = process.memoryUsage().heapUsed - before;
  assert.equal(read.code, 'JSON_SCHEMA_MINOR_MISMATCH');
  assert.ok(read.text.length <= 2_000);
  assert.ok(grown < 128 << 20, `${grown >> 20} MiB`);
});

test('the defaults of a schema make no answer a thousand times larger', () => {
  const member = { type: 'object', properties: { a: { default: Array.from({ length: 4_000 }, () => 0) } } };
  const list = (length: number): string => `[${Array.from({ length }, () => '{}').join(',')}]`;
  assert.equal(readOutput(list(2), { items: member }).code, 'JSON_SCHEMA_MAJOR_MISMATCH', 'more than 2,000 values');
  const before = process.memoryUsage().heapUsed;
  const read = readOutput(list(20_000), { items: member });
  const grown = process.memoryUsage().heapUsed - before;
  assert.match(read.text, /too many values by default: give fewer elements/);
  assert.ok(grown < 128 << 20, `${grown >> 20} MiB`);
  const small = { type: 'object', properties: { a: { default: 7 } } };
  assert.deepEqual(JSON.parse(readOutput(list(3), { items: small }).text), [{ a: 7 }, { a: 7 }, { a: 7 }]);
});
