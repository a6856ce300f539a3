import type { DatabaseSync } from 'node:sqlite';
import type { VectorIndex } from './vector-index.ts';

/** Memories that one step moves: each may be alone in a block of 28 KiB, which is overwritten. */
const MOVED_A_STEP = 200;

/** The bits of a store of version 1, whose blocks belonged to one audience each. They move in steps; words find what has not moved. */
export interface EarlierVectors {
  remove(seq: number): void;
  /** Moves some to the index. Returns how many; 0 once all are moved. Its caller has a transaction open. */
  moveSome(vectors: VectorIndex): number;
}

const NONE: EarlierVectors = { remove: () => {}, moveSome: () => 0 };

export function openEarlierVectors(database: DatabaseSync): EarlierVectors {
  if (database.prepare("select 1 from sqlite_schema where name = 'vector'").get() === undefined) return NONE;
  if (database.prepare('select 1 from vector_rowids').get() === undefined) {
    database.exec('drop table vector');
    return NONE;
  }
  const next = database.prepare('select rowid as seq from vector_rowids order by rowid limit ?');
  const unmoved = database.prepare(
    `select memory.audience as audience, embedding.vector as vector from memory join embedding on embedding.seq = memory.seq
     where memory.seq = ? and not exists (
       select 1 from audience_bits moved where moved.audience = memory.audience and moved.seq = memory.seq)`,
  );
  const erase = database.prepare('delete from vector where rowid = ?');
  const remove = (seq: number): void => void erase.run(BigInt(seq));
  return {
    remove,
    moveSome: (vectors) => {
      const rows = next.all(MOVED_A_STEP);
      for (const { seq } of rows) {
        const row = unmoved.get(Number(seq));
        remove(Number(seq));
        if (row?.['vector'] instanceof Uint8Array) vectors.add(Number(seq), Number(row['audience']), row['vector']);
      }
      return rows.length;
    },
  };
}
