import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Changes } from '../memory.ts';
import { readRows } from './memory-table.ts';
import { inTransaction } from './open-store.ts';

/**
 * The memories that changed since the copy of this memory took them, in order. The triggers write it in the transaction of the change,
 * so no change is lost to a kill. `copy` has the newest mark that the copy took, and the newest that it was offered. Marks begin at
 * random, so that the marks of two stores differ.
 */
const SCHEMA = `
create table if not exists change (number integer primary key autoincrement, id text not null unique);
create table if not exists copy (one integer primary key check (one = 1), settled integer not null, offered integer not null);
create trigger if not exists memory_added after insert on memory
begin insert or replace into change (id) values (new.id); end;
create trigger if not exists memory_changed
after update of importance, pinned, uses, last_used_at, dormant, valid_to, superseded_by on memory
begin insert or replace into change (id) values (new.id); end;
create trigger if not exists memory_removed after delete on memory
begin insert or replace into change (id) values (old.id); end;
`;

/** Upper bound of the random first mark. All later marks stay below 2^53, so JavaScript reads them exactly. */
const FIRST_MARK_MAX = 2 ** 40;

/** All memories as changes; pinned ones and facts first, then the newest words. */
const ALL =
  "insert or replace into change (id) select id from memory order by pinned desc, kind = 'fact' desc, at desc, seq desc";

/**
 * Adds the log to a store of memories that has none, with all of them; closes the store if it cannot. The store of documents stays
 * without one: their pieces are outside of the copy.
 */
export function withChangeLog(database: DatabaseSync): DatabaseSync {
  try {
    inTransaction(database, () => prepare(database));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepare(database: DatabaseSync): void {
  database.exec(SCHEMA);
  if (database.prepare('select 1 from copy').get() !== undefined) return;
  const first = Number(database.prepare(`select abs(random() % ${FIRST_MARK_MAX}) as mark`).get()?.['mark']);
  database.prepare("insert into sqlite_sequence (name, seq) values ('change', ?)").run(first);
  database.prepare('insert into copy (one, settled, offered) values (1, ?, ?)').run(first, first);
  database.exec(ALL);
}

/** The log of a store. Each function's caller has a transaction open. */
export interface ChangeLog {
  next(limit: number): Changes;
  settle(to: number): void;
  add(ids: readonly string[] | 'all'): void;
}

export function openChangeLog(database: DatabaseSync): ChangeLog {
  const marks = database.prepare('select settled, offered from copy');
  const offer = database.prepare('update copy set offered = ?');
  const settle = database.prepare('update copy set settled = ?1, offered = ?1');
  const taken = database.prepare('delete from change where number <= ?');
  const ids = database.prepare('select number, id from change order by number limit ?');
  const rows = database.prepare('select * from memory where id in (select value from json_each(?))');
  const one = database.prepare('insert or replace into change (id) values (?)');
  return {
    next: (limit) => {
      const found = ids.all(limit + 1);
      const given = found.slice(0, limit);
      const { settled, offered } = numbersOf(marks.get());
      const to = Number(given.at(-1)?.['number'] ?? settled);
      if (to !== offered) offer.run(to);
      const named = given.map(({ id }) => String(id));
      const there = new Map(readRows(rows.all(JSON.stringify(named))).map(({ memory }) => [memory.id, memory]));
      return {
        from: settled === offered ? [settled] : [settled, offered],
        to,
        changed: named.flatMap((id) => there.get(id) ?? []),
        gone: named.filter((id) => !there.has(id)),
        more: found.length > limit,
      };
    },
    settle: (to) => {
      settle.run(to);
      taken.run(to);
    },
    add: (which) => {
      if (which === 'all') database.exec(ALL);
      else for (const id of which) one.run(id);
    },
  };
}

const numbersOf = (row: Record<string, SQLOutputValue> | undefined) => ({
  settled: Number(row?.['settled']),
  offered: Number(row?.['offered']),
});
