import { createCipheriv, ECDH, hkdfSync } from 'node:crypto';

const CURVE = 'prime256v1';
const SECRET_BYTES = 32;
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
const RECORD_SIZE = 4_096;
/** The only record is the last one (RFC 8188). */
const LAST_RECORD = Buffer.of(2);

/** The keys of a browser, as its subscription has them: a point of P-256 and 16 secret bytes, both in base64url. */
export interface BrowserKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** Used for one message: a fresh key pair with its public key, and 16 random bytes. */
export interface OneTime {
  readonly keys: ECDH;
  readonly salt: Uint8Array;
}

/** True if the keys of a browser can encrypt. Pure. */
export function areBrowserKeys({ p256dh, auth }: BrowserKeys): boolean {
  try {
    ECDH.convertKey(p256dh, CURVE, 'base64url', 'hex', 'compressed');
    return Buffer.from(auth, 'base64url').length === KEY_BYTES;
  } catch {
    return false;
  }
}

const derive = (secret: Uint8Array, salt: Uint8Array, { info, bytes }: { info: Uint8Array | string; bytes: number }) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

/**
 * Encrypts a message for one browser: `aes128gcm` (RFC 8188) with the keys of RFC 8291, in one record. Throws unless the key is
 * a point of P-256.
 */
export function encryptPush(text: Uint8Array, { p256dh, auth }: BrowserKeys, { keys, salt }: OneTime): Buffer {
  const browser = Buffer.from(p256dh, 'base64url');
  const ours = keys.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser, ours]);
  const shared = keys.computeSecret(browser);
  const secret = derive(shared, Buffer.from(auth, 'base64url'), { info, bytes: SECRET_BYTES });
  const key = derive(secret, salt, { info: 'Content-Encoding: aes128gcm\0', bytes: KEY_BYTES });
  const nonce = derive(secret, salt, { info: 'Content-Encoding: nonce\0', bytes: NONCE_BYTES });
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_SIZE);
  const header = [salt, size, Buffer.of(ours.length), ours];
  return Buffer.concat([
    ...header,
    cipher.update(Buffer.concat([text, LAST_RECORD])),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}
