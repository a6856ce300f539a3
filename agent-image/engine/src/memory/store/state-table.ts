import type { DatabaseSync } from 'node:sqlite';

/** Versions that stay, so that an unreadable one costs only its own change. */
const KEPT_VERSIONS = 3;

const TABLE = `create table if not exists state (
  version integer primary key, value text not null, at integer not null
)`;

/** The versions of the document in one store, unread. */
export type StateTable = ReturnType<typeof openStateTable>;
export type StateRow = Readonly<{ version: number; value: string; at: number }>;

export function openStateTable(database: DatabaseSync) {
  database.exec(TABLE);
  const all = database.prepare('select version, value, at from state order by version desc');
  const insert = database.prepare('insert into state (version, value, at) values (?, ?, ?)');
  const drop = database.prepare('delete from state where version <= ?');
  return {
    /** Newest first. */
    versions: (): readonly StateRow[] =>
      all.all().map(({ version, value, at }) => ({ version: Number(version), value: String(value), at: Number(at) })),
    add: ({ version, value, at }: StateRow): void => {
      insert.run(version, value, at);
      drop.run(version - KEPT_VERSIONS);
    },
  };
}
