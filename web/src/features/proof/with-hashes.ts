import type { Sha256 } from '@hamlet/core';

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
