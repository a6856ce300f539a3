import { type Edge, edgeOf, edgeTiles, type Tile } from '@hamlet/core';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** The stored log differs from the sealed one or cannot continue. A person must examine it. */
export class LogBroken extends Error {}

export interface LogHead {
  readonly size: number;
  /** The signed checkpoint; null while nothing is sealed. */
  readonly note: string | null;
  readonly last: Place;
}

type HeadRow = Place & Pick<LogHead, 'size' | 'note'>;

const headOf = ({ size, note, xact, kind, id }: HeadRow): LogHead => ({ size, note, last: { xact, kind, id } });

const HEAD = sql`select size, note, xact::text, kind, id from log.head`;

export async function readLogHead(db: Db): Promise<LogHead> {
  const { rows } = await sql<HeadRow>`${HEAD}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new LogBroken('the log has no head');
  return headOf(row);
}

/** Locks and reads the head; null if another replica has locked it. */
export async function lockLogHead(tx: Tx): Promise<LogHead | null> {
  const { rows } = await sql<HeadRow>`${HEAD} for update skip locked`.execute(tx);
  const [row] = rows;
  return row === undefined ? null : headOf(row);
}

interface TileKey {
  readonly level: number;
  readonly number: number;
}

/** The stored tiles by `level/number`, without missing ones. */
export async function readLogTiles(db: Db, keys: readonly TileKey[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const { rows } = await sql<TileKey & { hashes: Buffer }>`
    select t.level, t.number, t.hashes from unnest(${keys.map(({ level }) => level)}::smallint[], ${keys.map(({ number }) => number)}::bigint[]) k(level, number)
    join log.tile t using (level, number)`.execute(db);
  return new Map(rows.map(({ level, number, hashes }) => [`${level}/${number}`, hashes]));
}

export async function readLeafTiles(
  db: Db,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly Uint8Array[]> {
  const { rows } = await sql<{ hashes: Buffer }>`
    select hashes from log.tile where level = 0 and number >= ${from} and number < ${to} order by number`.execute(db);
  return rows.map(({ hashes }) => hashes);
}

/** Throws LogBroken if a tile is missing. */
export async function readLogEdge(db: Db, size: number): Promise<Edge> {
  const tiles = await readLogTiles(db, edgeTiles(size));
  return edgeOf(size, ({ level, number }) => {
    const hashes = tiles.get(`${level}/${number}`);
    if (hashes === undefined) throw new LogBroken(`tile ${number} of level ${level} of the log is missing`);
    return hashes;
  });
}

/** A tile to write. `first`: the place of its first entry if the tile is new and on level 0, else null. */
export interface TileToWrite extends Tile {
  readonly first: Place | null;
}

/** Writes tiles that are new or have grown; a tile that has grown keeps its place. */
export async function writeLogTiles(tx: Tx, tiles: readonly TileToWrite[]): Promise<void> {
  if (tiles.length === 0) return;
  const columns = {
    levels: tiles.map(({ level }) => level),
    numbers: tiles.map(({ number }) => number),
    hashes: tiles.map(({ hashes }) => Buffer.from(hashes)),
    xacts: tiles.map(({ first }) => first?.xact ?? null),
    kinds: tiles.map(({ first }) => first?.kind ?? null),
    ids: tiles.map(({ first }) => first?.id ?? null),
  };
  await sql`
    insert into log.tile (level, number, hashes, xact, kind, id)
    select n.level, n.number, n.hashes, coalesce(n.xact, t.xact), coalesce(n.kind, t.kind), coalesce(n.id, t.id)
    from unnest(${columns.levels}::smallint[], ${columns.numbers}::bigint[], ${columns.hashes}::bytea[], ${columns.xacts}::bigint[], ${columns.kinds}::smallint[],
      ${columns.ids}::uuid[]) n(level, number, hashes, xact, kind, id)
    left join log.tile t using (level, number)
    on conflict (level, number) do update set hashes = excluded.hashes`.execute(tx);
}

/** Moves the head to a new checkpoint. Also keeps the first checkpoint after each full tile, and one each hour. */
export async function moveLogHead(tx: Tx, { size, note, last }: LogHead & { readonly note: string }): Promise<void> {
  await sql`
    with kept as (
      insert into log.checkpoint (size, note) select ${size}::bigint, ${note}::text from log.head h
      where h.size / 256 <> ${size}::bigint / 256 or h.size = 0 or not exists (select 1 from log.checkpoint c where c.sealed_at > now() - interval '1 hour')
    )
    update log.head set size = ${size}, note = ${note}, xact = ${last.xact}::bigint, kind = ${last.kind}, id = ${last.id}, sealed_at = now()
  `.execute(tx);
}

export const LOG_KINDS = { 1: 'ledger', 2: 'act', 3: 'turn' } as const;
export type LogKind = (typeof LOG_KINDS)[keyof typeof LOG_KINDS];

/** Position of a row in the order of sealing: by transaction, then kind, then id. `xact` is decimal digits. */
export interface Place {
  readonly xact: string;
  readonly kind: number;
  readonly id: string;
}

export const FIRST_PLACE: Place = { xact: '0', kind: 0, id: '00000000-0000-0000-0000-000000000000' };

export function asRow({ xact, kind, id }: Place): RawBuilder<unknown> {
  return sql`(${xact}::bigint, ${kind}::smallint, ${id}::uuid)`;
}
