import type { IncomingHttpHeaders } from 'node:http';

const MAX_HEADER_LENGTH = 4096;
const NAME = /^([0-9a-f-]{36})?\/([A-Za-z0-9_.:-]{1,200})?$/;
/** The ids that runs have (RFC 9562). The API keeps no attempt that names another text as its run. */
const RUN = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The words of a program's request about itself. The resident's loopback proxy adds it; the token alone is proof. */
export interface Identity {
  readonly token: string;
  readonly run: string | null;
  readonly call: string | null;
}

/** The run that a program names, or null where its text is no id of a run. */
export const claimedRun = (text: string | undefined): string | null =>
  text !== undefined && RUN.test(text) ? text : null;

/**
 * Reads `Proxy-Authorization: Basic base64(RUN/CALL:TOKEN)` (RFC 7617). Run and call may be empty; a user of another form names
 * neither. Null where there is no token.
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
