import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** The stored hash of a secret. A plain hash is enough for 256 random bits. */
export function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** A new secret of 256 bits; the prefix identifies its kind in logs and leaks. */
export function newSecret(prefix: string): string {
  return `${prefix}${randomBytes(SECRET_BYTES).toString('base64url')}`;
}
