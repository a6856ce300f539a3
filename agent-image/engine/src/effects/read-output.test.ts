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
