/**
 * Chance without state: the same seed and the same words give the same number for ever, in any order of asking.
 * A turn that is lived twice is decided the same way twice.
 */
export function chance(seed: number, ...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const character of words.join('\u0000')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return finish(hash) / 0x1_0000_0000;
}

/** One of the list by chance; undefined only of an empty list. */
export function choose<T>(list: readonly T[], throwOfDice: number): T | undefined {
  return list[Math.floor(throwOfDice * list.length)];
}

/** The finisher of MurmurHash3: spreads FNV's weak low bits over the whole word. */
function finish(hash: number): number {
  let word = hash;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}
