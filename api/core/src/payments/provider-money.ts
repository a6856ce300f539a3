const PLACES = 6;
const UNIT = 1_000_000n;
const DECIMAL = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/;

/** Millionths of a provider's currency from its decimal string (`"12.50"`, `"-3"`); null where it is none. Pure. */
export function providerMicro(text: string): bigint | null {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  if (sign === undefined) return null;
  const micro = BigInt(whole) * UNIT + BigInt(fraction.padEnd(PLACES, '0'));
  return sign === '-' ? -micro : micro;
}

/** What an amount of a provider's currency is worth in micro-aiDollars, at so many micro-aiDollars a unit; what is below one is dropped. Pure. */
export function worthOf(micro: bigint, ratePerUnit: bigint): bigint {
  return (micro * ratePerUnit) / UNIT;
}
