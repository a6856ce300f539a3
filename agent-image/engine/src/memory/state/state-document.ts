import type { z } from 'zod';
import type { GuardedStore } from '../store/guarded-store.ts';
import type { StateRow } from '../store/state-table.ts';

/** A document that was read: its value, and the version that the next write replaces. */
export type ReadState<T> = Readonly<{ version: number; value: T; at: number }>;

export type WrittenState =
  | Readonly<{ outcome: 'written'; version: number }>
  /** Another write came first: read again. */
  | Readonly<{ outcome: 'conflict'; version: number }>
  | Readonly<{ outcome: 'refused'; reason: 'invalid' | 'too_long'; detail: string }>;

/** One JSON document with a schema, such as the goals and the plan of an agent. Searches do not find it. */
export type StateDocument<T> = Readonly<{
  /** The newest version that can be read and fits the schema; null before the first. */
  read: () => ReadState<T> | null;
  /** Replaces the version that was read, 0 if there was none. On disk when it returns. */
  write: (value: T, replaces: number) => WrittenState;
}>;

const MAX_STATE_CHARS = 256 << 10;

/** The document of a store. Each write is compared with the newest version, so two writers never lose a change unseen. */
export function stateIn<T>(store: GuardedStore, schema: z.ZodType<T>, clock: () => number): StateDocument<T> {
  return {
    read: () => store.read(({ state }) => readState(state.versions(), schema)),
    write: (value, replaces) => {
      const parsed = schema.safeParse(value);
      if (!parsed.success) return refused('invalid', parsed.error.issues[0]?.message ?? 'invalid');
      const text = JSON.stringify(value);
      if (text.length > MAX_STATE_CHARS)
        return refused('too_long', `The state has ${text.length} characters; the limit is ${MAX_STATE_CHARS}.`);
      return store.write(({ state }): WrittenState => {
        const version = state.versions()[0]?.version ?? 0;
        if (version !== replaces) return { outcome: 'conflict', version };
        state.add({ version: version + 1, value: text, at: clock() });
        return { outcome: 'written', version: version + 1 };
      });
    },
  };
}

const refused = (reason: 'invalid' | 'too_long', detail: string): WrittenState => ({
  outcome: 'refused',
  reason,
  detail,
});

/** The newest version that fits the schema, under the number of the newest of all. Pure. */
function readState<T>(versions: readonly StateRow[], schema: z.ZodType<T>): ReadState<T> | null {
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
