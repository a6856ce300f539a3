import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

/** Maximum number of changes, and of bytes of all former contents; the oldest are dropped. */
const MAX_CHANGES = 500;
const MAX_BYTES = 64 << 20;

/** A change of one file: `before` is null if the file did not exist, and `after` is null if it was removed. */
export interface FileChange {
  readonly run: string;
  readonly call: string;
  readonly conversation: string;
  readonly path: string;
  readonly before: Buffer | null;
  readonly beforeSha256: string | null;
  readonly afterSha256: string | null;
}

export interface KeptChange extends FileChange {
  readonly number: number;
  readonly at: string;
}

/** The log of the file changes that tools made. It is in the resident's own folder, which the hands cannot reach. */
export interface ChangeLog {
  note(change: FileChange): KeptChange;
  drop(number: number): void;
  find(conversation: string, number: number): KeptChange | null;
  ofCall(run: string, call: string): KeptChange | null;
  list(conversation: string, limit: number): readonly KeptChange[];
}

const bytes = z.instanceof(Uint8Array).transform((data) => Buffer.from(data));
const Row = z
  .object({
    number: z.int(),
    at: z.string(),
    run: z.string(),
    call: z.string(),
    conversation: z.string(),
    path: z.string(),
    before: bytes.nullable(),
    before_sha256: z.string().nullable(),
    after_sha256: z.string().nullable(),
  })
  .transform(({ before_sha256: beforeSha256, after_sha256: afterSha256, ...row }): KeptChange => {
    return { ...row, beforeSha256, afterSha256 };
  });

const Noted = z.object({ number: z.int(), at: z.string() });
const Size = z.object({ bytes: z.int() });

export function openChangeLog(path: string): ChangeLog {
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal; pragma synchronous = normal;
    create table if not exists change (number integer primary key autoincrement, at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
      run text not null, call text not null, conversation text not null, path text not null, before blob, before_sha256 text, after_sha256 text,
      unique (run, call)) strict`);
  const rowOf = (row: unknown): KeptChange | null => (row === undefined ? null : Row.parse(row));
  const [insert, byCall, remove] = [database.prepare(INSERT), database.prepare(BY_CALL), database.prepare(REMOVE)];
  const prune = pruneOf(database);
  return {
    ofCall: (run, call) => rowOf(byCall.get(run, call)),
    note: (change) => {
      const { run, call, conversation, path: file, before, beforeSha256, afterSha256 } = change;
      const row = insert.get(run, call, conversation, file, before, beforeSha256, afterSha256);
      prune(before?.length ?? 0);
      return { ...change, ...Noted.parse(row) };
    },
    drop: (number) => void remove.run(number),
    find: (conversation, number) =>
      rowOf(database.prepare('select * from change where conversation = ? and number = ?').get(conversation, number)),
    list: (conversation, limit) =>
      database
        .prepare('select * from change where conversation = ? order by number desc limit ?')
        .all(conversation, limit)
        .map((row) => Row.parse(row)),
  };
}

const INSERT = `insert into change (run, call, conversation, path, before, before_sha256, after_sha256) values (?, ?, ?, ?, ?, ?, ?)
  returning number, at`;
const BY_CALL = 'select * from change where run = ? and call = ?';
const REMOVE = 'delete from change where number = ?';
const OLDER = `delete from change where number <= (select number from change order by number desc limit 1 offset ${MAX_CHANGES})`;
/** The changes that exceed the byte limit together with all newer ones; the newest change always stays. */
const LARGER = `delete from change where number in (select number from (select number, row_number() over newest as place,
  sum(coalesce(length(before), 0)) over newest as bytes from change window newest as (order by number desc))
  where bytes > ${MAX_BYTES} and place > 1)`;
const SIZE = 'select coalesce(sum(length(before)), 0) as bytes from change';

/** Keeps the log bounded. It sums the bytes of new changes, and reads the log only when they may exceed the limit. Mutable. */
function pruneOf(database: DatabaseSync): (added: number) => void {
  const [older, larger, size] = [database.prepare(OLDER), database.prepare(LARGER), database.prepare(SIZE)];
  const sizeNow = (): number => Size.parse(size.get()).bytes;
  let most = sizeNow();
  return (added) => {
    older.run();
    most += added;
    if (most <= MAX_BYTES) return;
    larger.run();
    most = sizeNow();
  };
}
