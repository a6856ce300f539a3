import type { IncomingMessage } from 'node:http';
import { EGRESS_HOST_MAX_CHARS, EGRESS_PATH_MAX_CHARS } from '@hamlet/contract/broker';
import type { Destination } from '@hamlet/core/egress';
import type { AttemptFacts } from './caller.ts';

const MAX_PORT = 65_535;

/** The broker's own name, recorded as the host of requests that name no server. */
export const OF_BROKER: Destination = { host: 'hamlet', port: 80 };

/** The path of a target without its query, which may contain private texts. */
export const pathOf = (target: string): string => (target.split(/[?#]/, 1)[0] ?? '').slice(0, EGRESS_PATH_MAX_CHARS);

/** The printable part of a malformed host, and its port. */
function written(authority: string, impliedPort: number): Destination {
  // Credentials may stand before the host.
  const text = authority.replace(/^.*@/s, '');
  const [, before = '', digits = ''] = /^(.*):([0-9]{1,5})$/s.exec(text) ?? [];
  const port = Number(digits);
  const [host, own] = port >= 1 && port <= MAX_PORT ? [before, port] : [text, impliedPort];
  return {
    host: host
      .slice(0, EGRESS_HOST_MAX_CHARS)
      .replaceAll(/[^\x21-\x7e]/g, '?')
      .toLowerCase(),
    port: own,
  };
}

/** Describes a request that the broker cannot serve, as the program wrote it. Pure. */
export function factsAsWritten(request: Pick<IncomingMessage, 'method' | 'url'>): AttemptFacts {
  const { method = null, url = '/' } = request;
  if (method === 'CONNECT') return { form: 'tunnel', destination: written(url, 443), method: null, path: null };
  const [, scheme = '', authority, target = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (authority === undefined) return { form: 'plain', destination: OF_BROKER, method, path: pathOf(url) };
  const destination = written(authority, scheme.toLowerCase() === 'https' ? 443 : 80);
  return { form: 'plain', destination, method, path: pathOf(target) };
}
