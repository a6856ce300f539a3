function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** An integer from 0 to `bound` - 1 that depends on `keys` alone: a replay draws the same numbers. */
export function drawBelow(bound: number, ...keys: readonly number[]): number {
  let state = 0x9e3779b9;
  for (const key of keys) state = mix(state ^ mix(key | 0));
  return Math.floor((state / 0x1_0000_0000) * bound);
}
