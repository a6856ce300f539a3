import { normalHost, type Destination } from '@hamlet/core/egress';

const MAX_PORT = 65_535;

/** Host and port as addresses write them: IPv6 in brackets, and no port if the scheme implies it (RFC 3986). */
export function authorityOf({ host, port }: Destination, scheme: 'http' | 'https'): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === (scheme === 'http' ? 80 : 443) ? name : `${name}:${String(port)}`;
}

/** Reads `HOST:PORT`; null for any other text. */
export function readHostPort(text: string): Destination | null {
  const found = /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]{1,254}):([0-9]{1,5})$/.exec(text);
  const port = Number(found?.[2]);
  return found === null || port < 1 || port > MAX_PORT ? null : { host: normalHost(found[1] ?? ''), port };
}

/**
 * Reads the target of a request to a proxy, `http://HOST[:PORT]/path`. The path stays as the program wrote it: a
 * parsed address would hide dots and slashes that a server reads.
 */
export function readAbsolute(target: string): { readonly destination: Destination; readonly target: string } | null {
  const found = /^http:\/\/([^/?#@]+)(.*)$/is.exec(target);
  if (found === null) return null;
  const [, host = '', rest = ''] = found;
  const destination = readHostPort(/:[0-9]+$/.test(host) ? host : `${host}:80`);
  return destination === null ? null : { destination, target: rest.startsWith('/') ? rest : `/${rest}` };
}

export function namesHost(header: string | undefined, { host, port }: Destination, impliedPort: number): boolean {
  const text = header ?? '';
  const named = readHostPort(/:[0-9]+$/.test(text) ? text : `${text}:${String(impliedPort)}`);
  return named !== null && named.host === host && named.port === port;
}
