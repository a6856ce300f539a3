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
