const KIBI = { Mi: 1_024, Gi: 1_024 ** 2, Ti: 1_024 ** 3 } as const;

/** Half of `cpu`, rounded up to a thousandth: `2` → `1000m`, `25m` → `13m`. */
export function halfOfCpu(cpu: string): string {
  const millis = cpu.endsWith('m') ? Number(cpu.slice(0, -1)) : Number(cpu) * 1_000;
  return `${Math.ceil(millis / 2)}m`;
}

/** Half of `memory`, exactly: `1Mi` → `512Ki`, `2Gi` → `1Gi`. */
export function halfOfMemory(memory: string): string {
  const unit = memory.slice(-2) as keyof typeof KIBI;
  const halfKi = (Number(memory.slice(0, -2)) * KIBI[unit]) / 2;
  return halfKi % KIBI.Mi === 0 ? `${halfKi / KIBI.Mi}Mi` : `${halfKi}Ki`;
}

const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};

/** The number that a quantity of Kubernetes stands for, in whichever of its forms: `500m`, `1Gi`, `2e3`; NaN if it is none. */
export function quantityOf(text: string): number {
  const [, digits = '', exponent = '', suffix = ''] = /^([+-]?[0-9.]+)([eE][+-]?[0-9]+)?([numkMGTPE]|[KMGTPE]i)?$/.exec(text) ?? [];
  return digits === '' ? Number.NaN : Number(`${digits}${exponent}`) * (FACTORS[suffix] ?? Number.NaN);
}

/** Thousandths of a core. */
export function cpuMillisOf(text: string): number {
  return Math.round(quantityOf(text) * 1_000);
}

export function bytesOf(text: string): number {
  return Math.round(quantityOf(text));
}
