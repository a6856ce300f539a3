/**
 * An entry of the log is one record of Postgres (`record_send`): the number of fields, then the type number, length
 * (-1: null) and bytes of each field, big-endian. So no two records have the same bytes.
 */
export type Field = string | bigint | boolean | Uint8Array | null;

const decoder = new TextDecoder('utf-8', { fatal: true });

const TYPES: Readonly<Record<number, (bytes: Uint8Array) => Field>> = {
  16: ([byte]) => byte === 1,
  17: (bytes) => bytes,
  20: (bytes) => viewOf(bytes).getBigInt64(0),
  25: (bytes) => decoder.decode(bytes),
  1184: (bytes) => momentOf(viewOf(bytes).getBigInt64(0)),
  2950: (bytes) => bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
};

/** Postgres counts time from 2000. */
const EPOCH_2000_S = 946_684_800n;
const MICRO = 1_000_000n;

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Unix seconds with six decimal places. */
function momentOf(micros: bigint): string {
  const total = micros + EPOCH_2000_S * MICRO;
  const [whole, part] = [total / MICRO, total % MICRO];
  return `${whole}.${String(part < 0n ? -part : part).padStart(6, '0')}`;
}

/** Decodes a field when the caller reads it. */
export interface SealedRecord {
  readonly count: number;
  /** Throws RangeError if there is no such field or its type is unknown. */
  field(index: number): Field;
}

export function openRecord(bytes: Uint8Array): SealedRecord {
  const view = viewOf(bytes);
  if (bytes.length < 4) throw new RangeError('the bytes are not a record of the log');
  const count = view.getInt32(0);
  const starts: number[] = [];
  let at = 4;
  for (let index = 0; index < count; index += 1) {
    if (at + 8 > bytes.length) throw new RangeError('the bytes are not a record of the log');
    starts.push(at);
    at += 8 + Math.max(view.getInt32(at + 4), 0);
  }
  if (at !== bytes.length) throw new RangeError('the bytes are not a record of the log');
  return {
    count,
    field: (index) => {
      const start = starts[index];
      const read = start === undefined ? undefined : TYPES[view.getInt32(start)];
      if (start === undefined || read === undefined)
        throw new RangeError(`a record of the log has no field ${index} of a known type`);
      const length = view.getInt32(start + 4);
      return length < 0 ? null : read(bytes.subarray(start + 8, start + 8 + length));
    },
  };
}

/** First field of an entry. */
export const SEALED_KINDS = { ledger: 'hamlet.ledger.v1', act: 'hamlet.act.v1', turn: 'hamlet.turn.v1' } as const;

/** `version` is the number of the entry in the account. */
export interface SealedSide {
  readonly account: bigint;
  /** Such as `agent/ada` or `treasury/`. */
  readonly owner: string;
  readonly version: bigint;
  /** Micro-aiDollars, negative for the payer. */
  readonly amount: bigint;
  /**
   * Null if the ledger had no entry with the account, version, amount and time of the transfer when the record was
   * made.
   */
  readonly balanceAfter: bigint | null;
}

export function sidesOf(record: SealedRecord): readonly [payer: SealedSide, payee: SealedSide] | null {
  if (record.field(0) !== SEALED_KINDS.ledger) return null;
  const amount = numberOf(record.field(6));
  return [sideAt(record, 7, -amount), sideAt(record, 12, amount)];
}

function sideAt(record: SealedRecord, at: number, amount: bigint): SealedSide {
  const balance = record.field(at + 3);
  return {
    account: numberOf(record.field(at)),
    owner: String(record.field(at + 1)),
    version: numberOf(record.field(at + 2)),
    amount,
    balanceAfter: balance === null ? null : numberOf(balance),
  };
}

function numberOf(field: Field): bigint {
  if (typeof field !== 'bigint') throw new RangeError('a field of a record of the log is not a number');
  return field;
}
