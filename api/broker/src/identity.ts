import type { IncomingHttpHeaders } from 'node:http';

const MAX_HEADER_LENGTH = 4096;
const NAME = /^([0-9a-f-]{36})?\/([A-Za-z0-9_.:-]{1,200})?$/;
/** UUID of a run (RFC 9562). The API refuses an attempt with any other text. */
const RUN = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A request's claims about its program, which the resident's loopback proxy adds. Only the token proves anything. */
export interface Identity {
  readonly token: string;
  readonly run: string | null;
  readonly call: string | null;
}

/** The run id that a program sends; null if it is not a UUID. */
export const claimedRun = (text: string | undefined): string | null =>
  text !== undefined && RUN.test(text) ? text : null;

/**
 * Reads `Proxy-Authorization: Basic base64(RUN/CALL:TOKEN)` (RFC 7617). Run and call may be empty; a user of another form names
 * neither. Null without a token.
 */
export function readIdentity(headers: IncomingHttpHeaders): Identity | null {
  const header = headers['proxy-authorization'];
  if (header === undefined || header.length > MAX_HEADER_LENGTH || !header.startsWith('Basic ')) return null;
  const text = Buffer.from(header.slice('Basic '.length), 'base64').toString('latin1');
  const colon = text.indexOf(':');
  const token = text.slice(colon + 1);
  if (colon < 0 || token === '') return null;
  const [, run, call] = NAME.exec(text.slice(0, colon)) ?? [];
  return { token, run: claimedRun(run), call: call ?? null };
}
