import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRecord, SEALED_KINDS, sidesOf } from './sealed-record.ts';

const [BOOLEAN, BYTES, NUMBER, TEXT, MOMENT, UUID] = [16, 17, 20, 25, 1184, 2950];

function field(type: number, bytes: Uint8Array | null): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(type, 0);
  head.writeInt32BE(bytes === null ? -1 : bytes.length, 4);
  return Buffer.concat([head, bytes ?? new Uint8Array(0)]);
}

function record(...fields: readonly Buffer[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeInt32BE(fields.length);
  return Buffer.concat([count, ...fields]);
}

function int8(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

const text = (value: string): Buffer => field(TEXT, Buffer.from(value));
const number = (value: bigint): Buffer => field(NUMBER, int8(value));

test('each type is decoded as Postgres encodes it, and null differs from the empty text', () => {
  const cases: readonly (readonly [Buffer, unknown])[] = [
    [field(BOOLEAN, Buffer.from([1])), true],
    [field(BOOLEAN, Buffer.from([0])), false],
    [text(''), ''],
    [field(TEXT, null), null],
    [number(-9_007_199_254_740_993n), -9_007_199_254_740_993n],
    [field(MOMENT, int8(0n)), '946684800.000000'],
    [field(MOMENT, int8(849_484_800_000_001n)), '1796169600.000001'],
    [field(MOMENT, int8(-946_684_800_500_000n)), '0.500000'],
    [field(UUID, Buffer.from('00112233445566778899aabbccddeeff', 'hex')), '00112233-4455-6677-8899-aabbccddeeff'],
  ];
  for (const [bytes, value] of cases) assert.equal(openRecord(record(bytes)).field(0), value);
  const bytes = openRecord(record(field(BYTES, Buffer.from([1, 2])))).field(0);
  assert.ok(bytes instanceof Uint8Array);
  assert.deepEqual([...bytes], [1, 2]);
});

test('a record may have no fields, or end with a field without bytes', () => {
  assert.equal(openRecord(record()).count, 0);
  const last = openRecord(record(number(1n), field(TEXT, null)));
  assert.deepEqual([last.count, last.field(0), last.field(1)], [2, 1n, null]);
});

test('bytes that end early or late are not a record, at any offset of their buffer', () => {
  const whole = record(number(1n), text('word'));
  const lies = Buffer.concat([whole, Buffer.alloc(64)]);
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(
      () => openRecord(lies.subarray(0, length)),
      { name: 'RangeError', message: 'the bytes are not a record of the log' },
      `${length} bytes`,
    );
  }
  assert.equal(openRecord(lies.subarray(0, whole.length)).field(1), 'word');
  assert.throws(() => openRecord(lies), { message: 'the bytes are not a record of the log' });
});

test('a field of an unknown type, and text that is not UTF-8, are refused', () => {
  const opened = openRecord(record(field(23, Buffer.alloc(4)), field(TEXT, Buffer.from([0xff]))));
  for (const index of [0, 2, -1]) assert.throws(() => opened.field(index), { name: 'RangeError' }, `field ${index}`);
  assert.throws(() => opened.field(1), TypeError);
});

test('a transfer has payer and payee with their balances afterwards; other records have neither', () => {
  const transfer = (balance: Buffer): Buffer =>
    record(
      text(SEALED_KINDS.ledger),
      text('id'),
      text('key'),
      text('wage'),
      text(''),
      text(''),
      number(70n),
      number(-3n),
      text('treasury/'),
      number(12n),
      number(900n),
      text(''),
      number(4n),
      text('agent/ada'),
      number(2n),
      balance,
      text(''),
    );
  assert.deepEqual(sidesOf(openRecord(transfer(number(75n)))), [
    { account: -3n, owner: 'treasury/', version: 12n, amount: -70n, balanceAfter: 900n },
    { account: 4n, owner: 'agent/ada', version: 2n, amount: 70n, balanceAfter: 75n },
  ]);
  assert.equal(sidesOf(openRecord(transfer(field(NUMBER, null))))?.[1].balanceAfter, null);
  assert.throws(() => sidesOf(openRecord(transfer(text('75')))), RangeError);
  assert.equal(sidesOf(openRecord(record(text(SEALED_KINDS.act)))), null);
});
