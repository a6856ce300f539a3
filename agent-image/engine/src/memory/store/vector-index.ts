import type { DatabaseSync } from 'node:sqlite';
import { columnsOf } from './statements.ts';

const MAX_INT8 = 127;
const MAX_DIMENSIONS = 4_096;
/** Vectors in one block of the table that has the bits of all memories. */
const BLOCK_ROWS = 2_048;
/**
 * If at least one memory in four is visible, the search takes four times the limit from all memories, and keeps the visible ones.
 * Otherwise, or if these are too few, it compares the visible memories alone.
 */
const OVER_FETCH = 4;

/** `audiences`: numbers of the visible ones; null for all. `size`: the number of all memories. */
export type Nearest = Readonly<{ audiences: ReadonlySet<number> | null; limit: number; size: number }>;

/**
 * Two forms of each vector: int8 numbers, with which any memory is compared, and one bit a number, by which sqlite-vec finds the
 * nearest ones. The bits are in blocks over all memories (`bits`), and once more in the order of audiences (`audience_bits`), so that
 * the number of audiences costs nothing and the memories of a rare one are found.
 */
export interface VectorIndex {
  add(seq: number, audience: number, vector: Uint8Array): void;
  remove(seq: number, audience: number): void;
  /** The visible memories whose bits are nearest: `limit`, or all if there are fewer. */
  near(vector: Uint8Array, nearest: Nearest): readonly number[];
  /** How near each memory is, 0 to 1. Memories without a vector are left out. */
  likeness(vector: Uint8Array, seqs: readonly number[]): ReadonlyMap<number, number>;
}

/** Removes all vectors, so that the next ones can have other dimensions. */
export function dropVectors(database: DatabaseSync): void {
  database.exec('drop table if exists bits; delete from embedding; delete from audience_bits;');
}

/** Throws if sqlite-vec cannot have vectors of these dimensions. */
export function openVectorIndex(database: DatabaseSync, dimensions: number): VectorIndex {
  const columns = `bits bit[${bitsOf(dimensions)}], chunk_size = ${BLOCK_ROWS}`;
  database.exec(`create virtual table if not exists bits using vec0 (${columns})`);
  return { ...writers(database), near: openNear(database), likeness: openLikeness(database) };
}

/** sqlite-vec takes bits by the byte. */
function bitsOf(dimensions: number): number {
  if (!Number.isInteger(dimensions) || dimensions < 8 || dimensions > MAX_DIMENSIONS || dimensions % 8 !== 0)
    throw new Error(`An embedder has ${dimensions} dimensions. Give a multiple of 8 up to ${MAX_DIMENSIONS}.`);
  return dimensions;
}

const BITS = 'vec_quantize_binary(vec_int8(?))';

function writers(database: DatabaseSync): Pick<VectorIndex, 'add' | 'remove'> {
  const numbers = database.prepare('insert or replace into embedding (seq, vector) values (?, ?)');
  const ofAudience = database.prepare(`insert into audience_bits (audience, seq, bits) values (?, ?, ${BITS})`);
  const ofAll = database.prepare(`insert into bits (rowid, bits) values (?, ${BITS})`);
  const withoutNumbers = database.prepare('delete from embedding where seq = ?');
  const notOfAudience = database.prepare('delete from audience_bits where audience = ? and seq = ?');
  const notOfAll = database.prepare('delete from bits where rowid = ?');
  return {
    add: (seq, audience, vector) => {
      numbers.run(seq, vector);
      ofAudience.run(audience, seq, vector);
      ofAll.run(BigInt(seq), vector);
    },
    remove: (seq, audience) => {
      withoutNumbers.run(seq);
      notOfAudience.run(audience, seq);
      notOfAll.run(BigInt(seq));
    },
  };
}

function openNear(database: DatabaseSync): VectorIndex['near'] {
  const amongAll = database.prepare(`select rowid as seq from bits where bits match ${BITS} and k = ?`);
  const audienceOf = database.prepare('select seq, audience from memory where seq in (select value from json_each(?))');
  const visible = 'from audience_bits where audience in (select value from json_each(?))';
  const counted = database.prepare(`select count(*) as rows from (select 1 ${visible} limit ?)`);
  const amongVisible = database.prepare(
    `select seq ${visible} order by vec_distance_hamming(vec_bit(bits), ${BITS}), seq limit ?`,
  );
  return (vector, { audiences, limit, size }) => {
    if (audiences === null) return seqsOf(amongAll.all(vector, limit));
    const numbers = JSON.stringify([...audiences]);
    const many = Math.ceil(size / OVER_FETCH);
    if (Number(counted.get(numbers, many)?.['rows']) >= many) {
      const nearest = seqsOf(amongAll.all(vector, limit * OVER_FETCH));
      const rows = audienceOf.all(JSON.stringify(nearest));
      const passed = new Set(seqsOf(rows.filter(({ audience }) => audiences.has(Number(audience)))));
      if (passed.size >= limit) return nearest.filter((seq) => passed.has(seq)).slice(0, limit);
    }
    return seqsOf(amongVisible.all(numbers, vector, limit));
  };
}

const seqsOf = (rows: readonly Record<string, unknown>[]): readonly number[] => rows.map(({ seq }) => Number(seq));

function openLikeness(database: DatabaseSync): VectorIndex['likeness'] {
  const compared = columnsOf(
    database,
    `select seq, vec_distance_cosine(vec_int8(vector), vec_int8(?)) as distance from embedding
     where seq in (select value from json_each(?))`,
  );
  return (vector, seqs) => {
    const rows = compared(vector, JSON.stringify(seqs));
    return new Map(rows.map(([seq, distance]) => [Number(seq), Math.max(0, 1 - Number(distance))]));
  };
}

/** The vector as int8 numbers, the greatest as 127. Null for a vector without length or of other dimensions. */
export function quantized(vector: Float32Array, dimensions: number): Uint8Array | null {
  if (vector.length !== dimensions) return null;
  let greatest = 0;
  for (const value of vector) greatest = Math.max(greatest, Math.abs(value));
  if (greatest === 0 || !Number.isFinite(greatest)) return null;
  const bytes = new Int8Array(dimensions);
  const scale = MAX_INT8 / greatest;
  for (let place = 0; place < dimensions; place += 1) bytes[place] = Math.round((vector[place] ?? 0) * scale);
  return new Uint8Array(bytes.buffer);
}
