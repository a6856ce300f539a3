/** SHA-256 of some bytes. Core has no cryptography of its own: the shell passes the platform's. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** Bytes of a hash of the log. */
export const HASH_BYTES = 32;

/** RFC 6962, section 2.1: the hash of an entry; its first byte distinguishes it from a node. */
export function leafHash(leaf: Uint8Array, sha256: Sha256): Uint8Array {
  const bytes = new Uint8Array(leaf.length + 1);
  bytes.set(leaf, 1);
  return sha256(bytes);
}

/** RFC 6962, section 2.1: the hash of two neighbours. */
export function nodeHash(left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * HASH_BYTES);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + HASH_BYTES);
  return sha256(bytes);
}

/** The root of the tree without entries. */
export function emptyRoot(sha256: Sha256): Uint8Array {
  return sha256(new Uint8Array(0));
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** One of the hashes that lie behind each other. */
export function hashAt(hashes: Uint8Array, index: number): Uint8Array {
  return hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
}
