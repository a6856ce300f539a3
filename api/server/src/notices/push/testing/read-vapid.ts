import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';

/** Checks the header Authorization of RFC 8292 strictly. Returns the claims of its token and the public key. */
export function readVapid(header: string): {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly key: string;
} {
  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]{87})$/.exec(header) ?? [];
  assert.deepEqual(JSON.parse(Buffer.from(head, 'base64url').toString()), { typ: 'JWT', alg: 'ES256' });
  const point = Buffer.from(key, 'base64url');
  assert.deepEqual([point.length, point[0]], [65, 4]);
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)];
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  const signed = Buffer.from(`${head}.${claims}`);
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  assert.ok(verify('sha256', signed, options, Buffer.from(signature, 'base64url')), 'the signature');
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), key };
}
