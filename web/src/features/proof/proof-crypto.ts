import type { Sha256 } from '@hamlet/core';

/** What the platform offers to check a proof with, and gives later than core wants it. */
export interface ProofCrypto {
  digest(bytes: Uint8Array): Promise<Uint8Array>;
  /** Whether a signature over a message is that of an Ed25519 key. */
  verify(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): Promise<boolean>;
}

/** This browser's, or why it cannot check a proof. */
export async function browserCrypto(): Promise<ProofCrypto | string> {
  // Absent from pages that are not served securely.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle === undefined) return 'Browsers check signatures only on https or localhost.';
  if (!('fromBase64' in Uint8Array) || !(await knowsEd25519(subtle)))
    return 'This browser is too old to check Ed25519 signatures.';
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

/** More hashes than a proof in the longest log asks for. */
const HASHES_MAX = 512;

/** A hash that was asked for and is not there yet. */
class HashWanted extends Error {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    super('a hash is not there yet');
    this.bytes = bytes;
  }
}

/**
 * Runs what wants its hashes at once on a platform that gives them later: it is stopped at each hash that is not there yet, and run again when it
 * has come. `compute` must be pure. Throws RangeError where it asks for more than {@link HASHES_MAX}.
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
