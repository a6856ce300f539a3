import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Audience, Taint } from '../memory.ts';
import { membersText, parseMembers } from '../store/audiences.ts';
import type { NewSource, Source } from './documents.ts';

/** `whole` is 0 while a pass runs or was interrupted; `removing` is 1 until all pieces of a removed source are gone. */
const TABLES = `
create table if not exists document_source (
  number integer primary key autoincrement,
  id text not null unique,
  name text not null,
  members text not null,
  repository text not null,
  taint text not null,
  since integer not null,
  at integer,
  whole integer not null default 0,
  removing integer not null default 0
);
create unique index if not exists source_in_use on document_source (name, members, repository) where removing = 0;
create table if not exists document_file (
  number integer primary key autoincrement,
  source integer not null,
  path text not null,
  sha256 text not null,
  bytes integer not null,
  chunks integer not null,
  unique (source, path)
);
`;

export type SourceRow = Source & Readonly<{ number: number }>;
export type FileRow = Readonly<{ number: number; source: number; path: string; sha256: string; chunks: number }>;
type NewFile = Omit<FileRow, 'number'> & Readonly<{ bytes: number }>;

type AddedSource = NewSource & Readonly<{ number?: number; id: string; since: number }>;
type Named = Pick<NewSource, 'name' | 'audience' | 'repository'>;

/** The sources and their files. The pieces of a file are rows of the table of memories, whose session is the file's number. */
export type DocumentTables = ReturnType<typeof openDocumentTables>;

const SOURCES = `select source.*, count(file.number) as files, coalesce(sum(file.chunks), 0) as chunks,
    coalesce(sum(file.bytes), 0) as bytes
  from document_source source left join document_file file on file.source = source.number`;

export function openDocumentTables(database: DatabaseSync) {
  database.exec(TABLES);
  // Each removal ends with a merge of the whole index, which costs less than erasing each row in it.
  database.exec("insert into word (word, rank) values ('secure-delete', 0)");
  return { ...sourceQueries(database), ...fileQueries(database) };
}

function sourceQueries(database: DatabaseSync) {
  const all = database.prepare(`${SOURCES} where removing = 0 group by source.number order by source.number desc`);
  const named = database.prepare(
    `${SOURCES} where removing = 0 and name = ? and members = ? and repository = ? group by source.number`,
  );
  const stored = database.prepare(
    'select *, 0 as files, 0 as chunks, 0 as bytes from document_source where removing = 0',
  );
  const leaving = database.prepare('select number from document_source where removing = 1 order by number limit 1');
  const insert = database.prepare(
    'insert into document_source (number, id, name, members, repository, taint, since) values (?, ?, ?, ?, ?, ?, ?)',
  );
  const begun = database.prepare(
    "update document_source set whole = 0, taint = iif(taint = 'outside', taint, ?) where number = ?",
  );
  const ended = database.prepare(
    `update document_source set whole = 1, at = ?1 where number = ?2
       and ?3 = (select count(*) from document_file file where file.source = document_source.number)`,
  );
  const leave = database.prepare('update document_source set removing = 1 where number = ?');
  const erase = database.prepare('delete from document_source where number = ?');
  return {
    sources: (): readonly SourceRow[] => all.all().map(sourceOf),
    /** Sources without the counts of their files, which may be unreadable. */
    storedSources: (): readonly SourceRow[] => stored.all().map(sourceOf),
    source: ({ name, audience, repository }: Named): SourceRow | null => {
      const row = named.get(name, membersText(audience), repository ?? '');
      return row === undefined ? null : sourceOf(row);
    },
    /** If `number` is missing, the store assigns the next one. */
    addSource: ({ number, id, name, audience, repository, taint = 'none', since }: AddedSource): void =>
      void insert.run(number ?? null, id, name, membersText(audience), repository ?? '', taint, since),
    /** Begins a pass; the taint of a source never goes away. */
    beginPass: (number: number, taint: Taint): void => void begun.run(taint, number),
    /**
     * Ends a pass that found this many files; it stays open if the store has lost some, because it was damaged
     * meanwhile.
     */
    endPass: (number: number, files: number, now: number): void => void ended.run(now, number, files),
    leave: (number: number): void => void leave.run(number),
    /** The number of a source whose removal has begun. */
    leaving: (): number | null => {
      const row = leaving.get();
      return row === undefined ? null : Number(row['number']);
    },
    eraseSource: (number: number): void => void erase.run(number),
  };
}

function fileQueries(database: DatabaseSync) {
  const one = database.prepare('select * from document_file where source = ? and path = ?');
  const after = database.prepare('select * from document_file where source = ? and number > ? order by number limit ?');
  const cited = database.prepare('select * from document_file where number in (select value from json_each(?))');
  const insert = database.prepare(
    'insert into document_file (source, path, sha256, bytes, chunks) values (?, ?, ?, ?, ?) returning number',
  );
  const erase = database.prepare('delete from document_file where number = ?');
  const chunks = database.prepare('select seq from memory where session = ?');
  return {
    file: (source: number, path: string): FileRow | null => {
      const row = one.get(source, path);
      return row === undefined ? null : fileOf(row);
    },
    filesAfter: (source: number, number: number, limit: number): readonly FileRow[] =>
      after.all(source, number, limit).map(fileOf),
    files: (numbers: readonly number[]): ReadonlyMap<number, FileRow> =>
      new Map(cited.all(JSON.stringify(numbers)).map((row) => [Number(row['number']), fileOf(row)])),
    addFile: ({ source, path, sha256, bytes, chunks: count }: NewFile): number =>
      Number(insert.get(source, path, sha256, bytes, count)?.['number']),
    eraseFile: (number: number): void => void erase.run(number),
    /** Rows of the table of memories with the pieces of a file. */
    chunksOf: (file: number): readonly number[] => chunks.all(String(file)).map(({ seq }) => Number(seq)),
  };
}

type Stored = Record<string, SQLOutputValue>;

const sourceOf = (row: Stored): SourceRow => ({
  number: Number(row['number']),
  id: String(row['id']),
  name: String(row['name']),
  audience: parseMembers(String(row['members'])) as Audience,
  repository: row['repository'] === '' ? null : String(row['repository']),
  taint: row['taint'] === 'outside' ? 'outside' : 'none',
  since: Number(row['since']),
  at: row['at'] === null ? null : Number(row['at']),
  isWhole: row['whole'] === 1,
  files: Number(row['files']),
  chunks: Number(row['chunks']),
  bytes: Number(row['bytes']),
});

const fileOf = (row: Stored): FileRow => ({
  number: Number(row['number']),
  source: Number(row['source']),
  path: String(row['path']),
  sha256: String(row['sha256']),
  chunks: Number(row['chunks']),
});
