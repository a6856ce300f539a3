import { fitsHost, normalHost } from '@hamlet/core/egress';

/** Push services of Chromium, Firefox, Safari and Windows. */
const KNOWN = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
] as const;

/**
 * The URL of a browser at a push service; null for any other text. People send these URLs, so the API makes requests to known
 * services alone, over HTTPS at the usual port. Pure.
 */
export function pushEndpoint(text: string, more: readonly string[]): URL | null {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || `${url.port}${url.username}${url.password}${url.hash}` !== '') return null;
  const host = normalHost(url.hostname);
  return [...KNOWN, ...more].some((service) => fitsHost(service, host)) ? url : null;
}
