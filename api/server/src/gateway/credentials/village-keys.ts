import type { KeySource } from '../../service/key-files.ts';
import { KEY_BYTES, type VillageKey } from './envelope.ts';

const CURRENT = 'current';

/** The keys that seal credentials, from the files of a Secret: `current` names one, and each key is in the file of its id. */
export function villageKeys(read: KeySource) {
  function find(id: string): VillageKey | null {
    const text = read(id);
    if (text === null) return null;
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length !== KEY_BYTES)
      throw new Error(
        `the key ${id} for credentials is not ${KEY_BYTES} bytes in base64: write openssl rand -base64 32`,
      );
    return { id, bytes };
  }
  return {
    find,
    current: () => {
      const id = read(CURRENT);
      if (id === null) return null;
      const key = find(id);
      if (key === null)
        throw new Error(`the Secret names ${id} as its current key for credentials but does not contain it: add it`);
      return key;
    },
  };
}

export type VillageKeys = ReturnType<typeof villageKeys>;
