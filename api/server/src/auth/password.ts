import { hash, verify } from '@node-rs/argon2';

/** OWASP's argon2id setting for 19 MiB; `hash` uses argon2id by default. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** What is kept of a password. */
export async function hashPassword(password: string): Promise<string> {
  return hash(password, ARGON2);
}

/** Whether a password is the one that was hashed. An account without one costs a hash too, so that it takes as long as a wrong password. */
export async function isPassword(password: string, kept: string | null | undefined): Promise<boolean> {
  if (kept === null || kept === undefined) return (await hashPassword(password)) === '';
  return verify(kept, password);
}
