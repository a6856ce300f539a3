import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { asRow, FIRST_PLACE, LOG_KINDS, type LogKind, type Place } from './tiles.ts';

/** The smallest number of a transaction that may still be running. Later reads see all transactions with smaller numbers. */
export async function sealHorizon(tx: Tx): Promise<bigint> {
  const { rows } = await sql<{ horizon: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + log.xact_offset() as horizon`.execute(tx);
  return BigInt(rows[0]?.horizon ?? '0');
}

export interface LeafPart {
  readonly number: number;
  readonly hashes: Uint8Array;
  /** The place of the tile's first entry; null if an earlier sealing has sealed that entry. */
  readonly first: Place | null;
  readonly last: Place;
}

interface PartRow {
  readonly number: number;
  readonly hashes: Buffer;
  readonly isFirst: boolean;
  readonly firstXact: string;
  readonly firstKind: number;
  readonly firstId: string;
  readonly lastXact: string;
  readonly lastKind: number;
  readonly lastId: string;
}

/** Entries after a place whose transactions are at least `from` and below `below`. `size`: entries up to the place. */
export interface LeafRange {
  readonly after: Place;
  readonly from: bigint;
  readonly below: bigint;
  readonly size: number;
}

/** Hashes by tile. The database computes them, so that it need not send the entries. */
export async function readLeafHashes(tx: Tx, { after, from, below, size }: LeafRange): Promise<readonly LeafPart[]> {
  const { rows } = await sql<PartRow>`
    select at / 256 as number, string_agg(hash, '' order by at) as hashes, min(at) % 256 = 0 as "isFirst",
      min(xact)::text as "firstXact", (array_agg(kind order by at))[1] as "firstKind", (array_agg(id order by at))[1] as "firstId",
      max(xact)::text as "lastXact", (array_agg(kind order by at))[count(*)] as "lastKind", (array_agg(id order by at))[count(*)] as "lastId"
    from (
      select xact, kind, id, sha256('\\x00'::bytea || leaf) as hash, ${size}::bigint - 1 + row_number() over (order by xact, kind, id) as at
      from log.leaf where xact >= ${String(from)}::bigint and xact < ${String(below)}::bigint and (xact, kind, id) > ${asRow(after)}
    ) entries group by 1 order by 1`.execute(tx);
  return rows.map(({ number, hashes, isFirst, ...row }) => ({
    number,
    hashes,
    first: isFirst ? { xact: row.firstXact, kind: row.firstKind, id: row.firstId } : null,
    last: { xact: row.lastXact, kind: row.lastKind, id: row.lastId },
  }));
}

/** Updates the BRIN indexes with the rows since the last vacuum, so that range reads can use them. */
export async function summarizeLeaves(tx: Tx): Promise<void> {
  await sql`select log.summarize()`.execute(tx);
}

/** Entries of a tile from their present rows, for comparison with the sealed hashes. Null if there is no such tile. */
export async function readEntriesOfTile(db: Db, number: number): Promise<readonly Uint8Array[] | null> {
  const { rows: bounds } = await sql<Place & { number: number }>`
    select number, xact::text, kind, id from log.tile where level = 0 and number in (${number}::bigint, ${number}::bigint + 1) order by number
  `.execute(db);
  const [tile, next] = bounds;
  if (tile === undefined || tile.number !== number) return null;
  const from =
    number === 0
      ? sql`(xact, kind, id) > ${asRow(FIRST_PLACE)}`
      : sql`xact >= ${tile.xact}::bigint and (xact, kind, id) >= ${asRow(tile)}`;
  const to =
    next === undefined
      ? sql`(xact, kind, id) <= (select h.xact, h.kind, h.id from log.head h)`
      : sql`xact <= ${next.xact}::bigint and (xact, kind, id) < ${asRow(next)}`;
  const { rows } = await sql<{ leaf: Buffer }>`
    select leaf from log.leaf where ${from} and ${to} order by xact, kind, id`.execute(db);
  return rows.map(({ leaf }) => leaf);
}

/** A row of the log, sealed or not yet. */
export interface LogRecord {
  readonly kind: LogKind;
  readonly place: Place;
  readonly leaf: Uint8Array;
  readonly tile: number | null;
  readonly accounts: readonly number[];
}

/** Finds a ledger transfer, an act or a turn by its id; null if there is none. */
export async function findLogRecord(db: Db, id: string): Promise<LogRecord | null> {
  const { rows } = await sql<
    Place & { leaf: Buffer; tile: number | null; sealed: boolean; accounts: readonly string[] | null }
  >`
    select l.xact::text, l.kind, l.id, l.leaf, (l.xact, l.kind, l.id) <= (h.xact, h.kind, h.id) as sealed,
      (select array[m.payer, m.payee]::text[] from ledger.transfer m where m.transfer_id = l.id) as accounts,
      (select t.number from log.tile t where t.level = 0 and (t.xact, t.kind, t.id) <= (l.xact, l.kind, l.id) order by t.xact desc, t.kind desc, t.id desc limit 1) as tile
    from log.leaf l, log.head h where l.id = ${id}`.execute(db);
  const [row] = rows;
  const kind = row === undefined ? undefined : LOG_KINDS[row.kind as keyof typeof LOG_KINDS];
  if (row === undefined || kind === undefined) return null;
  const { xact, id: own, leaf, tile, sealed, accounts } = row;
  return {
    kind,
    place: { xact, kind: row.kind, id: own },
    leaf,
    tile: sealed ? tile : null,
    accounts: (accounts ?? []).map(Number),
  };
}

/** Amounts in micro-aiDollars. */
export interface SealedEntry {
  readonly transferId: string;
  readonly version: number;
  readonly balanceAfter: bigint;
}

export async function newestSealedEntry(db: Db, accountId: number): Promise<SealedEntry | null> {
  const { rows } = await sql<{ transferId: string; version: number; balanceAfter: string }>`
    select e.transfer_id as "transferId", e.version, e.balance_after::text as "balanceAfter"
    from ledger.entry e join ledger.transfer t using (transfer_id) cross join log.head h
    where e.account_id = ${accountId} and (t.xact, 1::smallint, t.transfer_id) <= (h.xact, h.kind, h.id) order by e.version desc limit 1
  `.execute(db);
  const [row] = rows;
  return row === undefined ? null : { ...row, balanceAfter: BigInt(row.balanceAfter) };
}
