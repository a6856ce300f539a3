import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** What is kept of a secret of 256 bits or more: a plain hash, since it cannot be guessed. */
export function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** A new secret of 256 bits; the prefix says in logs and leaks what it is. */
export function newSecret(prefix: string): string {
  return `${prefix}${randomBytes(SECRET_BYTES).toString('base64url')}`;
}
