import type { DatabaseSync } from 'node:sqlite';
import type { z } from 'zod';

/** A document that was read: its value, and the version that the next write replaces. */
export type ReadState<T> = Readonly<{ version: number; value: T; at: number }>;

export type WrittenState =
  | Readonly<{ outcome: 'written'; version: number }>
  /** Another write came first: read again. */
  | Readonly<{ outcome: 'conflict'; version: number }>
  | Readonly<{ outcome: 'refused'; reason: 'invalid' | 'too_long'; detail: string }>;

/** One JSON document with a schema, such as the goals and the plan of an agent. Searches do not find it. */
export type StateDocument<T> = Readonly<{
  /** The newest version that can be read and fits the schema; null if there is none. */
  read: () => ReadState<T> | null;
  /** Replaces the version that was read, 0 if there was none. On disk when it returns. */
  write: (value: T, replaces: number) => WrittenState;
}>;

export const MAX_STATE_CHARS = 256 << 10;
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

/** The newest version that fits the schema, under the number of the newest of all. Pure. */
export function readState<T>(versions: readonly StateRow[], schema: z.ZodType<T>): ReadState<T> | null {
  for (const { value, at } of versions) {
    const parsed = schema.safeParse(parseJson(value));
    if (parsed.success) return { version: versions[0]?.version ?? 0, value: parsed.data, at };
  }
  return null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
