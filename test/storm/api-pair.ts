import { setTimeout as sleep } from 'node:timers/promises';
import { startApiProcess } from '../../api/server/src/testing/api-process.ts';
import type { ApiProcess } from '../../api/server/src/testing/api-process.ts';
import type { TestVillage } from '../../api/server/src/testing/test-village.ts';

const LOOK_EVERY_MS = 250;

/** Two api processes. Each starts again after it ends, as in a cluster. */
export interface ApiPair {
  /** The present addresses of the processes. */
  readonly urls: readonly string[];
  /** Number of restarts. */
  readonly restarts: number;
  stop(): Promise<void>;
}

function lives({ pid }: ApiProcess): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function startApiPair(village: TestVillage, changes: Readonly<Record<string, string>>): Promise<ApiPair> {
  const pair = await Promise.all([startApiProcess(village, changes), startApiProcess(village, changes)]);
  let restarts = 0;
  let stopped = false;

  async function keep(index: number): Promise<void> {
    while (!stopped) {
      await sleep(LOOK_EVERY_MS);
      const process = pair[index];
      if (stopped || process === undefined || lives(process)) continue;
      restarts += 1;
      // During the storm a start may fail too; then it is repeated.
      pair[index] = await startApiProcess(village, changes).catch(() => process);
    }
  }
  const keeping = Promise.all([keep(0), keep(1)]);
  return {
    get urls() {
      return pair.map(({ url }) => url);
    },
    get restarts() {
      return restarts;
    },
    stop: async () => {
      stopped = true;
      await keeping;
      await Promise.all(pair.map((process) => process.stop('SIGTERM')));
    },
  };
}
