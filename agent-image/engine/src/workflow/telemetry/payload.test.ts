import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payloadOf, payloadOfValue } from './payload.ts';

test('a payload is the JSON value of its text, or the text if it is not JSON', () => {
  assert.deepEqual(payloadOf('{"a":[1,null,"x",true]}'), { a: [1, null, 'x', true] });
  assert.equal(payloadOf('Hello {'), 'Hello {');
  assert.equal(payloadOf(null), '[deleted]');
  assert.equal(payloadOfValue(undefined), null);
});

test('a payload that is too large or too deep is left out, with its size', () => {
  assert.equal(payloadOf(JSON.stringify('x'.repeat(20_000))), '[left out: 20002 characters]');
  const deep = JSON.stringify(payloadOf(`${'['.repeat(5_000)}${']'.repeat(5_000)}`));
  assert.match(deep, /^\[{32}"\[left out: too deep\]"\]{32}$/);
});

test('a key that means something to JavaScript is a key like all others', () => {
  const payload = payloadOf('{"__proto__":{"polluted":true},"constructor":1}');
  assert.equal(JSON.stringify(payload), '{"__proto__":{"polluted":true},"constructor":1}');
  assert.equal(Object.getPrototypeOf(payload), Object.prototype);
});
