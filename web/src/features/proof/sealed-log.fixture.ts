import { generateKeyPairSync, hash, sign } from 'node:crypto';
import type { AuditRecord, InclusionProof, LedgerEntry } from '@hamlet/contract';
import type { Sha256, Tile } from '@hamlet/core';
import {
  consistencyRanges,
  EMPTY_EDGE,
  growEdge,
  HASH_BYTES,
  inclusionRanges,
  leafHash,
  rangeHash,
  rootOf,
  partialTiles,
  writeCheckpoint,
  writeNote,
  writeVerifierKey,
} from '@hamlet/core';
import type { Growth } from './check-proof.ts';

const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');
const ORIGIN = 'hamlet.village/hamlet';
type Value =
  | string
  | bigint
  | boolean
  | null
  | { readonly uuid: string }
  | { readonly seconds: string }
  | { readonly bytes: Uint8Array };

const TYPE = { bool: 16, bytea: 17, int8: 20, text: 25, timestamptz: 1184, uuid: 2950 } as const;

function big(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value);
  return bytes;
}

/** Microseconds since 2000, as Postgres sends a timestamp. */
function momentBytes(seconds: string): Uint8Array {
  return big(BigInt(seconds.replace('.', '')) - 946_684_800_000_000n);
}

function bytesOf(value: Exclude<Value, null>): readonly [number, Uint8Array] {
  if (typeof value === 'string') return [TYPE.text, new TextEncoder().encode(value)];
  if (typeof value === 'bigint') return [TYPE.int8, big(value)];
  if (typeof value === 'boolean') return [TYPE.bool, Uint8Array.of(value ? 1 : 0)];
  if ('uuid' in value) return [TYPE.uuid, Uint8Array.fromHex(value.uuid.replaceAll('-', ''))];
  return 'seconds' in value ? [TYPE.timestamptz, momentBytes(value.seconds)] : [TYPE.bytea, value.bytes];
}

/** A record as Postgres sends it (`record_send`), which is the content of a log entry. */
export function recordBytes(fields: readonly Value[]): Uint8Array {
  const number = (value: number): Uint8Array => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setInt32(0, value);
    return bytes;
  };
  const parts = fields.flatMap((field) => {
    if (field === null) return [number(TYPE.text), number(-1)];
    const [type, bytes] = bytesOf(field);
    return [number(type), number(bytes.length), bytes];
  });
  return new Uint8Array(Buffer.concat([number(fields.length), ...parts]));
}

export const ENTRY: LedgerEntry = {
  ledger_entry_id: '01a20306-7f02-799b-a8a3-30fdadb5bb87',
  agent_id: 'ada',
  amount: '-2.5',
  currency: 'aiDollar',
  reason: 'penalty',
  source: 'keeper',
  related_post_id: null,
  note: 'Let the fire go out',
  timestamp: '2026-11-22T10:00:01.123456Z',
  version: 3,
  balance_after: '7.5',
};
export const RECORD: AuditRecord = {
  record_id: '01a20306-5ed1-77f7-a611-c6094186069b',
  kind: 'act',
  at: '2026-11-22T10:00:02.000001Z',
  actor_role: 'admin',
  actor_id: 'keeper',
  action: 'board.hide',
  object: 'post 7',
  detail: { reason: 'spam', at: { y: 2, x: 1 } },
  request_id: 'r1',
  traceparent: null,
};
const AT = { entry: '1795341601.123456', act: '1795341602.000001' };

/** The leaf of ENTRY: ada pays 2.5 to the treasury. */
export function entryLeaf(change: { readonly note?: string; readonly micro?: bigint } = {}): Uint8Array {
  return recordBytes([
    'hamlet.ledger.v1',
    7n,
    { uuid: ENTRY.ledger_entry_id },
    'a key',
    { bytes: new Uint8Array(32) },
    'penalty',
    change.micro ?? 2_500_000n,
    12n,
    'agent/ada',
    3n,
    7_500_000n,
    false,
    1n,
    'treasury/',
    9n,
    2_500_000n,
    true,
    'keeper',
    change.note ?? ENTRY.note,
    { seconds: AT.entry },
    { seconds: AT.entry },
    'admin',
    'keeper',
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
}

export function actLeaf(change: { readonly detail?: string | null } = {}): Uint8Array {
  const detail = change.detail === undefined ? '{"at": {"x": 1, "y": 2}, "reason": "spam"}' : change.detail;
  return recordBytes([
    'hamlet.act.v1',
    8n,
    { uuid: RECORD.record_id },
    { seconds: AT.act },
    'admin',
    'keeper',
    'board.hide',
    'post 7',
    detail,
    { bytes: new Uint8Array(32) },
    'r1',
    null,
  ]);
}

/** A log with its own key, and the answers of a village about it. */
interface SealedLog {
  readonly keyText: string;
  note(size: number): string;
  proof(position: number, size: number): InclusionProof;
  growth(from: number, to: number): Growth;
}

export function sealedLog(leaves: readonly Uint8Array[], recordId = ENTRY.ledger_entry_id): SealedLog {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = {
    name: ORIGIN,
    publicKey: new Uint8Array(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')),
  };
  const hashes = new Uint8Array(Buffer.concat(leaves.map((leaf) => leafHash(leaf, sha256))));
  const grownTo = (size: number): ReturnType<typeof growEdge> =>
    growEdge(EMPTY_EDGE, hashes.subarray(0, size * HASH_BYTES), sha256);
  const hashesOf =
    (size: number) =>
    ({ level, number }: Pick<Tile, 'level' | 'number'>): Uint8Array => {
      const { edge, full } = grownTo(size);
      return (
        [...full, ...partialTiles(edge)].find((tile) => tile.level === level && tile.number === number)?.hashes ??
        new Uint8Array(0)
      );
    };
  const note = (size: number): string => {
    const text = writeCheckpoint({ origin: ORIGIN, size, root: rootOf(grownTo(size).edge, sha256) });
    return writeNote(text, { key, signature: new Uint8Array(sign(null, Buffer.from(text), privateKey)) }, sha256);
  };
  const over = (ranges: ReturnType<typeof inclusionRanges>, size: number): string[] =>
    ranges.map((range) => rangeHash(range, hashesOf(size), sha256).toBase64());
  return {
    keyText: `${writeVerifierKey(key, sha256)}\n`,
    note,
    proof: (position, size) => ({
      record_id: recordId,
      kind: 'ledger',
      position,
      leaf: (leaves[position] ?? new Uint8Array(0)).toBase64(),
      hashes: over(inclusionRanges(position, size), size),
      checkpoint: note(size),
    }),
    growth: (from, to) => ({ kind: 'proof', hashes: over(consistencyRanges(from, to), to), checkpoint: note(to) }),
  };
}
