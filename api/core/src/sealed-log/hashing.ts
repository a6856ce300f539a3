/** Core has no cryptography: callers pass the function of their platform. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

export const HASH_BYTES = 32;

/** RFC 6962, section 2.1: the first hashed byte is 0 for an entry and 1 for a node. */
export function leafHash(leaf: Uint8Array, sha256: Sha256): Uint8Array {
  const bytes = new Uint8Array(leaf.length + 1);
  bytes.set(leaf, 1);
  return sha256(bytes);
}

/** RFC 6962, section 2.1. */
export function nodeHash(left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * HASH_BYTES);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + HASH_BYTES);
  return sha256(bytes);
}

export const emptyRoot = (sha256: Sha256): Uint8Array => sha256(new Uint8Array(0));

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

export function hashAt(hashes: Uint8Array, index: number): Uint8Array {
  return hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
}
