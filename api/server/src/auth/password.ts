import { UnavailableError } from '../http/respond.ts';

/** The argon2id parameters that OWASP recommends for 19 MiB of memory; `hash` uses argon2id by default. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A hash occupies one of the four threads that file access and DNS look-ups share. */
const AT_ONCE = 2;
const WAITING_MAX = 30;

/** The native library takes 3 MB, so the first use loads it. */
const argon2 = (): Promise<typeof import('@node-rs/argon2')> => import('@node-rs/argon2');

/**
 * Hashes and checks passwords, two at a time. Both methods throw UnavailableError if thirty calls are already waiting.
 */
export function createPasswords() {
  const waiting: (() => void)[] = [];
  let atWork = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (waiting.length >= WAITING_MAX)
      throw new UnavailableError('Too many passwords are being checked right now; try again');
    if (atWork >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else atWork += 1;
    try {
      return await work();
    } finally {
      // Pass the turn to the next waiter before any new call can take it.
      const next = waiting.shift();
      if (next === undefined) atWork -= 1;
      else next();
    }
  }

  const hashed = (password: string): Promise<string> => inTurn(async () => (await argon2()).hash(password, ARGON2));
  return {
    hash: hashed,
    /** Without a hash it computes one and returns false, so that the answer takes as long as for a wrong password. */
    is: async (password: string, kept: string | null | undefined) => {
      if (kept === null || kept === undefined) return (await hashed(password)) === '';
      return inTurn(async () => (await argon2()).verify(kept, password));
    },
  };
}

export type Passwords = ReturnType<typeof createPasswords>;
