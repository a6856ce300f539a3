import type { IncomingHttpHeaders } from 'node:http';

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function hostOf(headers: IncomingHttpHeaders): URL | null {
  return URL.parse(`http://${headers.host ?? ''}`);
}

/** Whether a cookie may travel here: https, as the proxy that ends TLS says, or plain http on this machine. */
export function isPrivateConnection(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-proto'] === 'https' || LOCAL_HOSTS.has(hostOf(headers)?.hostname ?? '');
}

/** Whether a request has a header that neither a link nor a form of another page can send without asking first. */
export function isCustomRequest(headers: IncomingHttpHeaders): boolean {
  return headers['x-hamlet-request'] !== undefined || headers['idempotency-key'] !== undefined;
}

/**
 * Whether a request that rides on a browser's cookies comes from a page of this very host. A program without an Origin is no browser;
 * a browser that leaves Origin out says what it does in Sec-Fetch-Site.
 */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  if (headers.origin !== undefined) return URL.parse(headers.origin)?.host === hostOf(headers)?.host;
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
