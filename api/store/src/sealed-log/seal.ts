import { hash } from 'node:crypto';
import { type Edge, EMPTY_EDGE, growEdge, partialTiles, rootOf, sameBytes, type Sha256 } from '@hamlet/core';
import { sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '../connection/database.ts';
import { type LeafPart, type LeafRange, readLeafHashes, sealHorizon, summarizeLeaves } from './leaves.ts';
import { lockLogHead, LogBroken, moveLogHead, readLogEdge, writeLogTiles } from './tiles.ts';
import type { LogHead, Place, TileToWrite } from './tiles.ts';

/** One read returns about this many entries. This process hashes them while the next read runs. */
const STEP_ENTRIES = 16_384;
const FIRST_SPAN = 2_048n;
const SPAN_MAX = 1n << 24n;
/** One sealing adds at most about this many entries, so that a crash loses little work. */
const SEAL_ENTRIES_MAX = 1 << 20;
/** Limit of one statement: the first range after a long pause reads the whole table. */
const STATEMENT_LIMIT_MS = 120_000;

export const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');

export interface Tree {
  readonly size: number;
  readonly root: Uint8Array;
}

export type SignCheckpoint = (tree: Tree) => string;

export interface LogSigning {
  readonly sign: SignCheckpoint;
  /** Null unless this process's key signed the note. */
  readonly open: (note: string) => Tree | null;
  /** The newest tree that this process has seen, from its folder or memory. */
  readonly known: () => Tree | null;
}

export interface Sealed {
  readonly from: number;
  readonly size: number;
  readonly note: string;
  /** True if this sealing left rows. */
  readonly more: boolean;
}

/** A sealing in progress: the tree so far, and the first place of each new tile. */
interface Growing {
  edge: Edge;
  last: Place;
  firsts: Map<number, Place>;
}

const countOf = (parts: readonly LeafPart[]): number => parts.reduce((sum, { hashes }) => sum + hashes.length / 32, 0);

async function grow(tx: Tx, growing: Growing, parts: readonly LeafPart[]): Promise<void> {
  const tail = parts.at(-1);
  if (tail === undefined) return;
  for (const { number, first } of parts) if (first !== null) growing.firsts.set(number, first);
  const { edge, full } = growEdge(growing.edge, Buffer.concat(parts.map(({ hashes }) => hashes)), sha256);
  growing.edge = edge;
  growing.last = tail.last;
  await writeTiles(tx, growing, full);
}

/** A tile is new if `firsts` has its first place. */
async function writeTiles(tx: Tx, { firsts }: Growing, tiles: readonly Omit<TileToWrite, 'first'>[]): Promise<void> {
  await writeLogTiles(
    tx,
    tiles.map((tile) => ({ ...tile, first: tile.level === 0 ? (firsts.get(tile.number) ?? null) : null })),
  );
}

/** The next range to read: about STEP_ENTRIES entries, judged by the previous read. */
function rangeAfter(before: LeafRange, parts: readonly LeafPart[], horizon: bigint): LeafRange {
  const count = countOf(parts);
  const span = before.below - before.from;
  const wider = span * 4n > SPAN_MAX ? SPAN_MAX : span * 4n;
  const fit = count === 0 ? wider : (span * BigInt(STEP_ENTRIES)) / BigInt(count);
  return {
    from: before.below,
    below: smaller(before.below + (fit < 1n ? 1n : smaller(fit, wider)), horizon),
    after: parts.at(-1)?.last ?? before.after,
    size: before.size + count,
  };
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Hashes each range while it reads the next. Returns whether entries are left. */
async function growToHorizon(tx: Tx, growing: Growing, horizon: bigint): Promise<boolean> {
  const limit = growing.edge.size + SEAL_ENTRIES_MAX;
  const from = BigInt(growing.last.xact);
  let range: LeafRange = {
    from,
    below: smaller(from + FIRST_SPAN, horizon),
    after: growing.last,
    size: growing.edge.size,
  };
  let reading: Promise<readonly LeafPart[]> | null = readLeafHashes(tx, range);
  for (let isLong = false; reading !== null;) {
    const parts: readonly LeafPart[] = await reading;
    range = rangeAfter(range, parts, horizon);
    if (!isLong && countOf(parts) >= STEP_ENTRIES / 2) {
      isLong = true;
      await summarizeLeaves(tx);
      await configure(tx, WITH_WORKERS);
    }
    reading = range.from < horizon && range.size < limit ? readLeafHashes(tx, range) : null;
    reading?.catch(() => undefined);
    await grow(tx, growing, parts);
  }
  return range.from < horizon;
}

/**
 * Forces index reads, because without statistics Postgres would read whole tables. Disables parallel workers, which
 * cost more than they save.
 */
const PLAINLY = {
  enable_seqscan: 'off',
  enable_mergejoin: 'off',
  enable_hashjoin: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  statement_timeout: String(STATEMENT_LIMIT_MS),
};
/** Settings for a long backlog: several processes read and hash each range. */
const WITH_WORKERS = {
  max_parallel_workers_per_gather: '2',
  parallel_setup_cost: '0',
  parallel_tuple_cost: '0',
  min_parallel_table_scan_size: '0',
};

async function configure(tx: Tx, settings: Readonly<Record<string, string>>): Promise<void> {
  const texts = JSON.stringify(settings);
  await sql`select set_config(s.key, s.value, true) from jsonb_each_text(${texts}::jsonb) s`.execute(tx);
}

/** Reads the edge without trusting the database: throws LogBroken unless key, tiles and the newest known tree agree. */
export async function readSignedEdge(tx: Db, head: LogHead, { open, known }: Omit<LogSigning, 'sign'>): Promise<Edge> {
  const before = known();
  if (before !== null && head.size < before.size)
    throw new LogBroken(`the log has ${head.size} entries, but ${before.size} were sealed`);
  if (head.note === null) return EMPTY_EDGE;
  const signed = open(head.note);
  if (signed?.size !== head.size)
    throw new LogBroken(`the newest checkpoint is not signed by the key of the log for ${head.size} entries`);
  const edge = await readEdgeOf(tx, signed);
  if (before !== null && before.size > 0) await readEdgeOf(tx, before);
  return edge;
}

/** Throws LogBroken if the root of the stored tiles differs from the tree's root. */
async function readEdgeOf(tx: Db, { size, root }: Tree): Promise<Edge> {
  const edge = await readLogEdge(tx, size);
  if (!sameBytes(rootOf(edge, sha256), root))
    throw new LogBroken(`the first ${size} entries of the log differ from the sealed ones`);
  return edge;
}

/** Seals the rows committed since the last sealing; null if there are none. Throws LogBroken instead of signing a broken log. */
export async function sealLog(db: Db, signing: LogSigning): Promise<Sealed | null> {
  return inTransaction(db, async (tx) => {
    await configure(tx, PLAINLY);
    const head = await lockLogHead(tx);
    return head === null ? null : sealBehind(tx, head, signing);
  });
}

async function sealBehind(tx: Tx, head: LogHead, signing: LogSigning): Promise<Sealed | null> {
  const horizon = await sealHorizon(tx);
  if (BigInt(head.last.xact) >= horizon)
    throw new LogBroken(
      `transaction ${head.last.xact} is sealed, and this server is at ${horizon}. Fix: scale the api to 0 replicas and to 1 again, so that the migration takes the restored village over (docs/LOG.md, "After a restore")`,
    );
  const growing: Growing = { edge: await readSignedEdge(tx, head, signing), last: head.last, firsts: new Map() };
  const more = await growToHorizon(tx, growing, horizon);
  const { edge, last } = growing;
  if (edge.size === head.size) return null;
  await writeTiles(tx, growing, partialTiles(edge));
  const note = signing.sign({ size: edge.size, root: rootOf(edge, sha256) });
  await moveLogHead(tx, { size: edge.size, note, last });
  return { from: head.size, size: edge.size, note, more };
}
