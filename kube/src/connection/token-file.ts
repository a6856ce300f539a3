import { readFile } from 'node:fs/promises';
import type { TokenSource } from './connection.ts';

/** The kubelet replaces a projected token at 80 % of its life (of at least ten minutes); a minute-old copy is still good. */
const REREAD_AFTER_MS = 60_000;

/** The token in `path`, read again after a minute and whenever the API server refuses it. */
export function tokenFile(path: string, now: () => number = () => performance.now()): TokenSource {
  let token: string | undefined;
  let readAtMs = 0;
  return {
    async read() {
      if (token === undefined || now() - readAtMs > REREAD_AFTER_MS) {
        token = (await readFile(path, 'utf8')).trim();
        readAtMs = now();
      }
      return token;
    },
    forget() {
      token = undefined;
    },
  };
}
