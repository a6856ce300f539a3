import type { Sha256 } from '@hamlet/core';

export interface ProofCrypto {
  digest(bytes: Uint8Array): Promise<Uint8Array>;
  /** True if the Ed25519 key has signed the message. */
  verify(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): Promise<boolean>;
}

/** The cryptography of this browser, or the reason why it cannot check a proof. */
export async function browserCrypto(): Promise<ProofCrypto | string> {
  // Browsers provide no `subtle` on pages without https.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle === undefined)
    return 'Browsers check signatures only over https or on localhost. Open the village by https.';
  if (!('fromBase64' in Uint8Array) || !(await knowsEd25519(subtle)))
    return 'This browser is too old to check Ed25519 signatures. Update it.';
  return {
    digest: async (bytes) => new Uint8Array(await subtle.digest('SHA-256', new Uint8Array(bytes))),
    verify: async (message, signature, publicKey) => {
      const key = await subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']);
      return subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(message));
    },
  };
}

async function knowsEd25519(subtle: SubtleCrypto): Promise<boolean> {
  return subtle.generateKey('Ed25519', false, ['sign', 'verify']).then(
    () => true,
    () => false,
  );
}

/** More hashes than any proof needs. */
const HASHES_MAX = 512;

class HashWanted extends Error {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    super('this hash is not computed yet');
    this.bytes = bytes;
  }
}

/**
 * Runs a computation that needs synchronous hashes with an asynchronous digest. The computation stops at each missing
 * hash and starts again after that hash is computed. `compute` must be pure. Throws RangeError if it needs more than
 * {@link HASHES_MAX} hashes.
 */
export async function withHashes<T>(
  compute: (sha256: Sha256) => T,
  digest: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<T> {
  const known = new Map<string, Uint8Array>();
  const sha256: Sha256 = (bytes) => {
    const hash = known.get(bytes.toHex());
    if (hash === undefined) throw new HashWanted(bytes.slice());
    return hash;
  };
  while (known.size <= HASHES_MAX) {
    try {
      return compute(sha256);
    } catch (error) {
      if (!(error instanceof HashWanted)) throw error;
      known.set(error.bytes.toHex(), await digest(error.bytes));
    }
  }
  throw new RangeError(`more than ${HASHES_MAX} hashes`);
}
