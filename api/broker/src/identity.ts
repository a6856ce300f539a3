import type { IncomingHttpHeaders } from 'node:http';

const MAX_HEADER_LENGTH = 4096;
const NAME = /^([0-9a-f-]{36})?\/([A-Za-z0-9_.:-]{1,200})?$/;

/** The words of a program's request about itself. The resident's loopback proxy adds it; the token alone is proof. */
export interface Identity {
  readonly token: string;
  readonly run: string | null;
  readonly call: string | null;
}

/**
 * Reads `Proxy-Authorization: Basic base64(RUN/CALL:TOKEN)` (RFC 7617). Run and call may be empty. Null where the
 * header is not of this form.
 */
export function readIdentity(headers: IncomingHttpHeaders): Identity | null {
  const header = headers['proxy-authorization'];
  if (header === undefined || header.length > MAX_HEADER_LENGTH || !header.startsWith('Basic ')) return null;
  const text = Buffer.from(header.slice('Basic '.length), 'base64').toString('latin1');
  const colon = text.indexOf(':');
  const names = NAME.exec(text.slice(0, Math.max(0, colon)));
  const token = text.slice(colon + 1);
  if (names === null || token === '') return null;
  return { token, run: names[1] ?? null, call: names[2] ?? null };
}
