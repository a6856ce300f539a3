import type { IncomingHttpHeaders } from 'node:http';

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function hostOf(headers: IncomingHttpHeaders): URL | null {
  return URL.parse(`http://${headers.host ?? ''}`);
}

/** Whether a cookie may be sent: over https, as the proxy that ends TLS reports, or over plain http on this machine. */
export function isPrivateConnection(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-proto'] === 'https' || LOCAL_HOSTS.has(hostOf(headers)?.hostname ?? '');
}

/** Whether a request has a header that a link or form of another page cannot send without a preflight. */
export function isCustomRequest(headers: IncomingHttpHeaders): boolean {
  return headers['x-hamlet-request'] !== undefined || headers['idempotency-key'] !== undefined;
}

/**
 * Whether a request with cookies comes from a page of this host. A program without an Origin is no browser; a browser without one sends
 * Sec-Fetch-Site.
 */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  if (headers.origin !== undefined) return URL.parse(headers.origin)?.host === hostOf(headers)?.host;
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
