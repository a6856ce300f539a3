import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';

/** Push services refuse a token that is valid for longer than a day. */
const TOKEN_LIFE_S = 12 * 3_600;

/** The key pair by which push services know the village. */
export interface VapidKey {
  readonly privateKey: KeyObject;
  /** The point of P-256 in base64url: browsers subscribe with it. */
  readonly publicKey: string;
}

/** Reads a key pair from PEM. Throws unless it is an EC key on P-256. */
export function readVapidKey(pem: string): VapidKey {
  const privateKey = createPrivateKey(pem);
  const { crv, x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (crv !== 'P-256') throw new Error('write a key on the curve P-256 (openssl ecparam -genkey -name prime256v1)');
  const point = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  return { privateKey, publicKey: Buffer.concat(point).toString('base64url') };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

interface VapidClaims {
  /** The URL of the browser at its push service. */
  readonly endpoint: URL;
  /** Where the operator of a push service reaches that of the village: a `mailto:` or `https:` URL. */
  readonly contact: string;
  readonly nowMs: number;
}

/** The header Authorization of a message (RFC 8292): a token for one push service, signed by the village. */
export function vapidHeader({ privateKey, publicKey }: VapidKey, { endpoint, contact, nowMs }: VapidClaims): string {
  const claims = { aud: endpoint.origin, exp: Math.floor(nowMs / 1_000) + TOKEN_LIFE_S, sub: contact };
  const signed = `${encoded({ typ: 'JWT', alg: 'ES256' })}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
}
