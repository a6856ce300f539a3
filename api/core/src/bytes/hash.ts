/** FNV-1a, 32 bits: fast, not cryptographic; it compares versions and states. `seed` chains hashes. */
export function hashBytes(bytes: Uint8Array, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let i = 0; i < bytes.length; i += 1) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  return hash >>> 0;
}

export const hashText = (text: string, seed = 0x811c9dc5): number => hashBytes(new TextEncoder().encode(text), seed);

/** Eight hexadecimal digits. */
export const hashToHex = (hash: number): string => (hash >>> 0).toString(16).padStart(8, '0');
