import { readFileSync } from 'node:fs';

/**
 * Options of TLS for a Redis with `rediss://…?sslrootcert=FILE`: only the authorities of that file (PEM) are trusted. Without the
 * parameter, those of Node are. Throws an Error if the file cannot be read.
 */
export function redisTls(url: string): { readonly tls?: { readonly ca: string } } {
  const { protocol, searchParams } = new URL(url);
  const file = searchParams.get('sslrootcert');
  return protocol === 'rediss:' && file !== null ? { tls: { ca: readFileSync(file, 'utf8') } } : {};
}
