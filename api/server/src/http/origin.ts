import type { IncomingHttpHeaders } from 'node:http';

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const hostOf = (headers: IncomingHttpHeaders): URL | null => URL.parse(`http://${headers.host ?? ''}`);

export function isPrivateConnection(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-proto'] === 'https' || LOCAL_HOSTS.has(hostOf(headers)?.hostname ?? '');
}

/** The origin at which the caller reached the API, by its Host header; https if a proxy says so. */
export function ownOrigin(headers: IncomingHttpHeaders): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${hostOf(headers)?.host || 'localhost'}`;
}

/** True if a request has a header that a page of another origin can send only after a preflight. */
export function isCustomRequest(headers: IncomingHttpHeaders): boolean {
  return headers['x-hamlet-request'] !== undefined || headers['idempotency-key'] !== undefined;
}

/** True if the page is of this host. A request without Origin and Sec-Fetch-Site comes from a program and passes. */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  if (headers.origin !== undefined) return URL.parse(headers.origin)?.host === hostOf(headers)?.host;
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
