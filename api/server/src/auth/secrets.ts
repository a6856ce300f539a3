import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
/** 50 random bits, for people who copy a code: its taker limits the attempts. */
const CODE_CHARS = 10;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The stored hash of a secret. SHA-256 without a salt is enough for 256 random bits. */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** A new secret of 256 random bits. The prefix shows the kind of the secret, even in a log or a leak. */
export const newSecret = (prefix: string): string => `${prefix}${randomBytes(SECRET_BYTES).toString('base64url')}`;

/** A new code of ten letters and digits that people do not confuse. */
export function newLetterCode(): string {
  return Array.from(randomBytes(CODE_CHARS), (byte) => LETTERS[byte % LETTERS.length]).join('');
}
