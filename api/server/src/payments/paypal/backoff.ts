/** Seconds until the next attempt: twice as long each time, up to the longest. `attempts` counts from 1. Pure. */
export function backoffS(
  attempts: number,
  { firstS, longestS }: { readonly firstS: number; readonly longestS: number },
): number {
  return Math.min(longestS, firstS * 2 ** Math.min(attempts - 1, 20));
}
