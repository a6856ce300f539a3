/** The order of two texts by code units, for sorting. Undefined comes last. */
export function textOrder(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return Number(a > b) - Number(a < b);
}
