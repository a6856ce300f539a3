import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { fingerprintOf } from '../sameness.ts';
import { rowOf, type Row } from './memory-table.ts';
import { inTransaction, openStore } from './open-store.ts';
import { insertMemory, openParts, type EmbedderName, type Parts } from './parts.ts';

/** Maximum number of consecutive rows that cannot be read, before the rest is read from the other end. */
const MAX_FAILURES_IN_ROW = 10_000;
const FILES = ['', '-wal'] as const;

const newOf = (path: string): string => `${path}.new`;

/**
 * Makes a new store of every row that can still be read from a damaged file, and keeps the damaged file aside. The new one takes
 * the place of the old one at the end, so a crash before that leaves the old one in its place. Throws if the disk has no room for both.
 */
export function salvageStore(path: string, embedder: EmbedderName, now: number): void {
  removeAsides(path);
  try {
    const aside = `${path}.damaged-${now}`;
    for (const suffix of FILES) if (existsSync(path + suffix)) copyFileSync(path + suffix, aside + suffix);
    makeNew(path, { aside, embedder, now });
  } catch (error) {
    removeAsides(path);
    throw error;
  }
}

type Salvage = Readonly<{ aside: string; embedder: EmbedderName; now: number }>;

function makeNew(path: string, { aside, embedder, now }: Salvage): void {
  const database = openStore(newOf(path));
  try {
    const parts = openParts(database, embedder);
    const counts = inTransaction(database, () => copyRows(parts, aside));
    const salvage = JSON.stringify({ aside, ...counts, at: now });
    database.prepare('update header set salvage = ?').run(salvage);
  } finally {
    database.close();
  }
  rmSync(`${path}-wal`, { force: true });
  renameSync(newOf(path), path);
}

/** Deletes the damaged files that were kept, and a new one that a crash left: a forgotten memory may be in them. */
export function removeAsides(path: string): void {
  const prefixes = [`${path}.damaged-`, newOf(path)].map((each) => basename(each));
  for (const name of readdirSync(dirname(path)))
    if (prefixes.some((prefix) => name.startsWith(prefix))) rmSync(join(dirname(path), name));
}

type Counts = Readonly<{ recovered: number; lost: number }>;

function copyRows(parts: Parts, aside: string): Counts {
  let damaged: DatabaseSync;
  try {
    damaged = new DatabaseSync(aside);
  } catch {
    return { recovered: 0, lost: 0 };
  }
  try {
    copyTombstones(parts, damaged);
    copyState(parts, damaged);
    return copyMemories(parts, damaged);
  } finally {
    damaged.close();
  }
}

function copyMemories(parts: Parts, damaged: DatabaseSync): Counts {
  let [recovered, lost] = [0, 0];
  const vectorOf = reader(damaged, 'select vector from embedding where seq = ?');
  for (const raw of readableRows(damaged, 'memory', 'seq')) {
    const row = raw === null ? null : attempt(() => rowOf(raw));
    if (row !== null && insertOnce(parts, row, vectorOf(row.seq)?.['vector'])) recovered += 1;
    else lost += 1;
  }
  return { recovered, lost };
}

/** False for a row that cannot be stored, such as one whose id a broken page shows twice. */
function insertOnce(parts: Parts, { memory }: Row, vector: unknown): boolean {
  if (memory.text === '' || parts.table.find(memory.id) !== null) return false;
  const row = { ...memory, fingerprint: fingerprintOf(memory) };
  return attempt(() => insertMemory(parts, row, vector instanceof Uint8Array ? vector : null)) !== null;
}

function copyTombstones({ database }: Parts, damaged: DatabaseSync): void {
  const insert = database.prepare('insert or ignore into tombstone (number, id, at) values (?, ?, ?)');
  for (const row of readableRows(damaged, 'tombstone', 'number'))
    if (row !== null) insert.run(Number(row['number']), String(row['id']), Number(row['at']));
}

function copyState({ state }: Parts, damaged: DatabaseSync): void {
  for (const row of readableRows(damaged, 'state', 'version'))
    if (row !== null)
      state.add({ version: Number(row['version']), value: String(row['value']), at: Number(row['at']) });
}

type Raw = Record<string, SQLOutputValue>;

/** All rows that can be read, by key; null for each that cannot. It continues behind broken pages, at last from the other end. */
function* readableRows(damaged: DatabaseSync, name: string, key: string): Generator<Raw | null> {
  const after = reader(damaged, `select * from ${name} where ${key} > ? order by ${key} limit 1`);
  const exact = reader(damaged, `select * from ${name} where ${key} = ?`);
  const last = lastKey(damaged, name, key);
  let position = 0;
  let failures = 0;
  while (position < last && failures < MAX_FAILURES_IN_ROW) {
    const row = failures === 0 ? after(position) : exact(position + 1);
    if (row !== null && row !== undefined) {
      position = Number(row[key]);
      failures = 0;
      yield row;
      continue;
    }
    if (row === undefined && failures === 0) return;
    if (failures > 0) {
      position += 1;
      if (row === null) yield null;
    }
    failures += 1;
  }
  yield* rowsFromEnd(damaged, { name, key, after: position });
}

function* rowsFromEnd(
  damaged: DatabaseSync,
  { name, key, after }: Readonly<{ name: string; key: string; after: number }>,
): Generator<Raw> {
  const before = reader(damaged, `select * from ${name} where ${key} < ? order by ${key} desc limit 1`);
  for (let row = before(Number.MAX_SAFE_INTEGER); row !== null && row !== undefined; row = before(Number(row[key]))) {
    if (Number(row[key]) <= after) return;
    yield row;
  }
}

/** The greatest key that was ever given. */
function lastKey(damaged: DatabaseSync, name: string, key: string): number {
  const sequence = reader(damaged, 'select seq as last from sqlite_sequence where name = ?')(name)?.['last'];
  const greatest = reader(damaged, `select max(${key}) as last from ${name} where ${key} > ?`)(0)?.['last'];
  return Math.max(Number(sequence ?? 0), Number(greatest ?? 0));
}

/** Reads one row: undefined if there is none, null if it cannot be read. */
function reader(damaged: DatabaseSync, sql: string): (value: number | string) => Raw | undefined | null {
  const statement = attempt(() => damaged.prepare(sql));
  return (value) => (statement === null ? null : attempt(() => statement.get(value)));
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
