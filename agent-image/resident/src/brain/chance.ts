/** A stateless random number in 0…1. The same seed and words give the same number, so a repeated turn makes the same decision. */
export function chance(seed: number, ...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const character of words.join('\u0000')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  // FNV's low bits are weak; the finisher of MurmurHash3 spreads them over the whole word.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}

/** A seed for a part of the agent that makes random choices of its own. The same seed and words always give the same result. */
export function seedOf(seed: number, ...words: readonly (string | number)[]): number {
  return Math.floor(chance(seed, ...words) * 0x1_0000_0000);
}

export const choose = <T>(list: readonly T[], random: number): T | undefined => list[Math.floor(random * list.length)];
