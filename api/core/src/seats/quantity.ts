const BINARY = 1_024;
const POWERS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: BINARY,
  Mi: BINARY ** 2,
  Gi: BINARY ** 3,
  Ti: BINARY ** 4,
  Pi: BINARY ** 5,
  Ei: BINARY ** 6,
};
const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;
/** Rounding error of decimal fractions in binary. */
const LOSS = 1e-6;

export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

/** `500m` is 0.5, `1Gi` is 1073741824; 0 if undefined. Throws QuantityError for any other text. */
export function quantity(value: string | number = 0): number {
  const [, digits, exponent = '', suffix = ''] = QUANTITY.exec(String(value)) ?? [];
  if (digits === undefined) throw new QuantityError(`"${value}" is not a quantity: write for example 500m or 2Gi`);
  return Number(`${digits}${exponent}`) * (POWERS[suffix] ?? 0);
}

/** Rounded up as Kubernetes does. Throws QuantityError. */
export const cpuMillis = (value?: string | number): number => Math.ceil(quantity(value) * 1_000 - LOSS);

/** Rounded up. Throws QuantityError. */
export const bytes = (value?: string | number): number => Math.ceil(quantity(value) - LOSS);
