import type { DatabaseSync } from 'node:sqlite';
import type { Tombstone } from '../memory.ts';

export const hasTombstone = (database: DatabaseSync, id: string): boolean =>
  database.prepare('select 1 from tombstone where id = ?').get(id) !== undefined;

/** Adds a tombstone, or finds the one that is there. */
export function addTombstone(database: DatabaseSync, id: string, at: number): Tombstone {
  database.prepare('insert into tombstone (id, at) values (?, ?) on conflict (id) do nothing').run(id, at);
  return tombstoneOf(database.prepare('select number, id, at from tombstone where id = ?').get(id));
}

export const tombstonesAfter = (database: DatabaseSync, number: number, limit: number): readonly Tombstone[] =>
  database
    .prepare('select number, id, at from tombstone where number > ? order by number limit ?')
    .all(number, limit)
    .map(tombstoneOf);

export const countTombstones = (database: DatabaseSync): number =>
  Number(database.prepare('select count(*) as rows from tombstone').get()?.['rows']);

const tombstoneOf = (row: Record<string, unknown> | undefined): Tombstone => ({
  number: Number(row?.['number']),
  id: String(row?.['id']),
  at: Number(row?.['at']),
});
