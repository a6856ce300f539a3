import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinedOutput } from './process-record.ts';

test('a stream without its middle has whole characters, wherever it is cut', () => {
  const whole = Buffer.from(`a${'é😀'.repeat(40)}z`);
  for (let cut = 1; cut < 20; cut += 1) {
    const text = joinedOutput(whole.subarray(0, cut), whole.subarray(-cut), whole.length);
    assert.doesNotMatch(text, /\uFFFD/, `${cut}`);
    assert.match(text, /^a[é😀]*\n\[… \d+ bytes left out …\]\n[é😀]*z$/u);
  }
  assert.equal(joinedOutput(whole, Buffer.alloc(0), whole.length), whole.toString());
});
