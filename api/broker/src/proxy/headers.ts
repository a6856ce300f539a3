import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** Headers of one hop (RFC 9110 7.6.1), and those between a program and the broker. */
const OF_ONE_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers for the other side: without those of one hop and those that `Connection` names. */
export function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set(
    // Node joins several such headers to one text, undici makes a list.
    String(headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_HOP.has(name) && !named.has(name)));
}
