import { createPublicKey, hash, verify } from 'node:crypto';
import type { NoteCrypto } from '@hamlet/core';

export const PLATFORM: NoteCrypto = {
  sha256: (bytes) => hash('sha256', bytes, 'buffer'),
  verify: (message, signature, publicKey) => {
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
      format: 'jwk',
    });
    return verify(null, message, key, signature);
  },
};
