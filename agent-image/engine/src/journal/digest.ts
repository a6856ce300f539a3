import { hash } from 'node:crypto';

const DIGEST_LENGTH = 22;

/**
 * The first 132 bits of SHA-256 over salt and text, base64url. The random secret salt prevents a reader from searching for two
 * texts with the same digest, and from confirming a guess about a deleted text.
 */
export const digest = (salt: string, text: string): string =>
  hash('sha256', `${salt}\0${text}`, 'base64url').slice(0, DIGEST_LENGTH);
