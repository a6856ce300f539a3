import { TICK_MS } from '@hamlet/contract';

/** Calls `run` for every tick without drift: a late tick runs at once, and no tick is dropped. */
export function everyTick(run: (tick: number) => void): void {
  const startMs = performance.now();
  let tick = 0;
  const next = (): void => {
    while (performance.now() - startMs >= (tick + 1) * TICK_MS) {
      tick += 1;
      run(tick);
    }
    setTimeout(next, Math.max(1, startMs + (tick + 1) * TICK_MS - performance.now()));
  };
  next();
}

/** CPU time of this process since the last call, as a fraction of one core. */
export class CpuMeter {
  #usage = process.cpuUsage();
  #atMs = performance.now();

  restart(): void {
    this.#usage = process.cpuUsage();
    this.#atMs = performance.now();
  }

  cores(): number {
    const { user, system } = process.cpuUsage(this.#usage);
    return (user + system) / 1000 / (performance.now() - this.#atMs);
  }
}
