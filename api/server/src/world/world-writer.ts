import { setTimeout as sleep } from 'node:timers/promises';
import { TICK_MS } from '@hamlet/contract';
import type { WorldState } from '@hamlet/core';
import { dropLease, renewLease, takeLease } from '@hamlet/store';
import { WorldTerm, type TermPorts } from './world-term.ts';
import type { Services } from '../service/services.ts';

const LEASE_TTL_MS = 4_000;
const RENEW_EVERY_MS = 1_000;
const ASK_EVERY_MS = 250;
const SNAPSHOT_CHECK_MS = 2_000;

interface WriterPorts extends TermPorts, Pick<Services, 'replicaId' | 'log'> {
  readonly recover: () => Promise<WorldState>;
  /** Called when this replica begins to write (with a term) and when it stops (null). */
  readonly onTerm: (term: WorldTerm | null) => void;
}

export function startWorldWriter(ports: WriterPorts) {
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await standFor(ports, stopping.signal);
      } catch (error) {
        ports.log('warn', 'the world writer failed; it starts again', { error });
      }
      if (!stopping.signal.aborted)
        await sleep(ASK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
}

async function standFor(ports: WriterPorts, signal: AbortSignal): Promise<void> {
  const askedMs = ports.monotonicMs();
  const epoch = await takeLease(ports.db, ports.replicaId, LEASE_TTL_MS);
  if (epoch === null) return;
  const renewal = keepLease(ports, epoch, askedMs);
  try {
    const startedMs = ports.monotonicMs();
    const world = await ports.recover();
    const term = await WorldTerm.begin({ epoch, world }, ports);
    ports.log('info', 'writing the world', {
      epoch,
      seq: world.seq,
      recovered_ms: Math.round(ports.monotonicMs() - startedMs),
    });
    renewal.over.then(
      (reason) => term.stop(reason),
      () => undefined,
    );
    await writeUntilEnd(ports, term, signal);
  } finally {
    renewal.stop();
    await dropLease(ports.db, epoch).catch(() => undefined);
  }
}

async function writeUntilEnd(ports: WriterPorts, term: WorldTerm, signal: AbortSignal): Promise<void> {
  const finish = (): void => void term.finish();
  const ticker = setInterval(() => term.tick(), TICK_MS);
  const snapshots = setInterval(() => {
    term
      .snapshotIfDue()
      .catch((error: unknown) => ports.log('warn', 'no snapshot was taken; the writer tries again later', { error }));
  }, SNAPSHOT_CHECK_MS);
  signal.addEventListener('abort', finish);
  ports.onTerm(term);
  try {
    if (signal.aborted) finish();
    const reason = await term.ended;
    ports.log('info', 'stopped writing the world', { epoch: term.epoch, reason });
  } finally {
    ports.onTerm(null);
    signal.removeEventListener('abort', finish);
    clearInterval(ticker);
    clearInterval(snapshots);
  }
}

/** Renews a lease every second. `over` resolves with the reason once the lease is lost, or too old to be trusted. */
function keepLease(
  ports: WriterPorts,
  epoch: number,
  takenMs: number,
): { readonly over: Promise<string>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  let trustedUntilMs = takenMs + LEASE_TTL_MS;
  let asking = false;
  const timer = setInterval(() => {
    const nowMs = ports.monotonicMs();
    if (nowMs >= trustedUntilMs) resolve('the lease ran out before it could be renewed');
    if (asking) return;
    asking = true;
    renewLease(ports.db, epoch, LEASE_TTL_MS)
      .then((mine) => {
        if (mine) trustedUntilMs = nowMs + LEASE_TTL_MS;
        else resolve('another replica took the lease');
      })
      .catch((error: unknown) => ports.log('warn', 'the world lease was not renewed', { epoch, error }))
      .finally(() => {
        asking = false;
      });
  }, RENEW_EVERY_MS);
  return { over: promise, stop: () => clearInterval(timer) };
}
