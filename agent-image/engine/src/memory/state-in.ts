import type { z } from 'zod';
import type { GuardedStore } from './store/guarded-store.ts';
import { MAX_STATE_CHARS, readState, type StateDocument, type WrittenState } from './state/state-document.ts';

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
