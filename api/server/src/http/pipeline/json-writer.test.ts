import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted } from '../outcome.ts';
import { jsonWriter } from './answer.ts';

const strict = { strictAnswers: true, monotonicMs: () => 0 };

test('a shared answer is encoded and checked once for the same object', () => {
  const checked: unknown[] = [];
  const check = (data: unknown): void => void checked.push(data);
  const writeJson = jsonWriter(strict);
  const world = { tick: 1 };
  const first = writeJson({ ...accepted(world), shared: true }, check);
  assert.equal(first.toString(), '{"tick":1}');
  assert.equal(writeJson({ ...accepted(world), shared: true }, check), first, 'the same bytes');
  const next = { tick: 2 };
  assert.equal(
    writeJson({ ...accepted(next), shared: true }, check).toString(),
    '{"tick":2}',
    'another object is encoded again',
  );
  assert.equal(writeJson({ ...accepted({ tick: 2 }), shared: true }, check).toString(), '{"tick":2}');
  assert.deepEqual(checked, [world, next, { tick: 2 }]);
});

test('an answer that is not shared is never cached, even for the same object', () => {
  let checks = 0;
  const check = (): void => void (checks += 1);
  const writeJson = jsonWriter(strict);
  const own = { balance: '1' };
  const first = writeJson(accepted(own), check);
  own.balance = '2';
  assert.equal(writeJson(accepted(own), check).toString(), '{"balance":"2"}');
  assert.equal(first.toString(), '{"balance":"1"}');
  assert.equal(writeJson({ ...accepted(own), shared: true }, check).toString(), '{"balance":"2"}');
  assert.equal(checks, 3);
});

test('a shared answer that does not match its schema is not cached', () => {
  const writeJson = jsonWriter(strict);
  const wrong = { ...accepted({ tick: 'one' }), shared: true } as const;
  const refuse = (): never => {
    throw new Error('outside the contract');
  };
  for (let time = 0; time < 2; time += 1) assert.throws(() => writeJson(wrong, refuse), /outside the contract/);
});

test('two routes have separate caches', () => {
  const [one, other] = [jsonWriter(strict), jsonWriter(strict)];
  const outcome = { ...accepted({ tick: 1 }), shared: true } as const;
  assert.notEqual(
    one(outcome, () => undefined),
    other(outcome, () => undefined),
  );
});
