import type { VillageState } from '@hamlet/contract';
import { readFreeze, type ActiveFreeze } from '@hamlet/store';
import type { SnapshotPart } from '../operator/internal-feed.ts';
import { repeat } from '../service/single-flight.ts';
import type { Services } from '../service/services.ts';

const POLL_MS = 2_000;

export function villageState(freeze: ActiveFreeze | null): VillageState {
  return { frozen: freeze !== null, reason: freeze?.reason ?? null, since: freeze?.since.toISOString() ?? null };
}

export const villagePart: SnapshotPart = async (tx) => [{ event: 'village', data: villageState(await readFreeze(tx)) }];

/** This replica's cache of the freeze, some milliseconds behind Postgres. Refusals depend on Postgres alone. */
export async function startFreezeCache({ db, notifications, log }: Pick<Services, 'db' | 'log' | 'notifications'>) {
  const callbacks: ((frozen: boolean) => void)[] = [];
  let frozen = (await readFreeze(db)) !== null;
  let stop = new AbortController();
  if (frozen) stop.abort();

  async function look(): Promise<void> {
    const now = (await readFreeze(db)) !== null;
    if (now === frozen) return;
    frozen = now;
    log(frozen ? 'warn' : 'info', frozen ? 'the village is frozen' : 'the freeze of the village is lifted', {});
    if (frozen) stop.abort();
    else stop = new AbortController();
    for (const callback of callbacks) callback(frozen);
  }
  const failed = (error: unknown): void =>
    log('warn', 'the freeze of the village could not be read; the API retries', { error });
  notifications.onInternal('village', () => void look().catch(failed));
  const end = repeat(POLL_MS, look, failed);
  return {
    get frozen() {
      return frozen;
    },
    /** A signal that aborts when the village is frozen. Each freeze replaces it with a new signal. */
    signal: () => stop.signal,
    onChange: (changed: (frozen: boolean) => void): void => void callbacks.push(changed),
    close: end,
  };
}

export type FreezeCache = Awaited<ReturnType<typeof startFreezeCache>>;
