import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** Headers of one hop (RFC 9110 7.6.1), and what a program may say about its way to the broker. */
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
    // Node makes one text from several such headers, and undici a list.
    String(headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_HOP.has(name) && !named.has(name)));
}
