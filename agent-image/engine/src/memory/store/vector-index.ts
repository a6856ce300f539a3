import type { DatabaseSync, StatementSync } from 'node:sqlite';

const MAX_INT8 = 127;
const MAX_DIMENSIONS = 4_096;
/** Vectors in one block of the table of bits. Each audience has blocks of its own. */
const BLOCK_ROWS = 512;
/** With more audiences than this, all are searched at once and so many times the limit are found, because some are not visible. */
const MAX_PARTITIONS = 6;
const OVER_FETCH = 2;

/**
 * Two forms of each vector: int8 numbers, with which any memory is compared, and one bit a number, over which sqlite-vec finds the
 * nearest ones.
 */
export interface VectorIndex {
  add(seq: number, audience: number, vector: Uint8Array): void;
  remove(seq: number): void;
  /** The memories whose bits are nearest, some `limit`. Null stands for all audiences. */
  near(vector: Uint8Array, audiences: readonly number[] | null, limit: number): readonly number[];
  /** How near each memory is, 0 to 1. Memories without a vector are left out. */
  likeness(vector: Uint8Array, seqs: readonly number[]): ReadonlyMap<number, number>;
  /** Removes all vectors; new ones have these dimensions. */
  reset(dimensions: number): void;
}

export function openVectorIndex(database: DatabaseSync): VectorIndex {
  const kept = database.prepare('insert or replace into embedding (seq, vector) values (?, ?)');
  const dropped = database.prepare('delete from embedding where seq = ?');
  const compared = database.prepare(
    `select seq, vec_distance_cosine(vec_int8(vector), vec_int8(?)) as distance from embedding
     where seq in (select value from json_each(?))`,
  );
  const statements = openStatements(database);
  return {
    add: (seq, audience, vector) => {
      kept.run(seq, vector);
      statements.insert().run(BigInt(seq), vector, BigInt(audience));
    },
    remove: (seq) => {
      dropped.run(seq);
      statements.erase().run(BigInt(seq));
    },
    near: (vector, audiences, limit) => {
      const rows =
        audiences === null || audiences.length > MAX_PARTITIONS
          ? statements.near().all(vector, audiences === null ? limit : limit * OVER_FETCH)
          : audiences.flatMap((audience) => statements.nearOf().all(vector, limit, BigInt(audience)));
      return rows.map(({ seq }) => Number(seq));
    },
    likeness: (vector, seqs) => {
      const rows = compared.all(vector, JSON.stringify(seqs));
      return new Map(rows.map(({ seq, distance }) => [Number(seq), Math.max(0, 1 - Number(distance))]));
    },
    reset: (dimensions) => {
      database.exec('drop table if exists vector; delete from embedding;');
      database.exec(
        `create virtual table vector using vec0 (
           audience integer partition key, bits bit[${bitsOf(dimensions)}], chunk_size = ${BLOCK_ROWS})`,
      );
    },
  };
}

type Statements = Readonly<Record<'insert' | 'erase' | 'near' | 'nearOf', () => StatementSync>>;

/** The table of bits is made when the embedder is known, so its statements are prepared at their first use. */
function openStatements(database: DatabaseSync): Statements {
  const later = (sql: string): (() => StatementSync) => {
    let statement: StatementSync | null = null;
    return () => (statement ??= database.prepare(sql));
  };
  const nearest = 'select rowid as seq from vector where bits match vec_quantize_binary(vec_int8(?)) and k = ?';
  return {
    insert: later('insert into vector (rowid, bits, audience) values (?, vec_quantize_binary(vec_int8(?)), ?)'),
    erase: later('delete from vector where rowid = ?'),
    near: later(nearest),
    nearOf: later(`${nearest} and audience = ?`),
  };
}

/** sqlite-vec takes bits by the byte. */
function bitsOf(dimensions: number): number {
  if (!Number.isInteger(dimensions) || dimensions < 8 || dimensions > MAX_DIMENSIONS || dimensions % 8 !== 0)
    throw new Error(`An embedder has ${dimensions} dimensions. Give a multiple of 8 up to ${MAX_DIMENSIONS}.`);
  return dimensions;
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
