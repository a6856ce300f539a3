import { setTimeout as sleep } from 'node:timers/promises';
import { LogBroken, sealLog, type Db } from '@hamlet/store';
import { registerGauges } from '../service/metrics.ts';
import { openCheckpointFolder, keepInBoth, keepInMemory, type CheckpointStore } from './checkpoint-store.ts';
import { openLogSigner, type LogSigner, type SignerOptions } from './log-signer.ts';
import type { Services } from '../service/services.ts';

const SEAL_EVERY_MS = 1_000;
const BROKEN_EVERY_MS = 60_000;

interface SealingPorts extends Pick<Services, 'db' | 'registry' | 'log'> {
  readonly settings: SignerOptions;
}

interface Sealing {
  /** The public key of checkpoints; null if no key is configured and nothing is sealed. */
  readonly verifierKey: string | null;
  stop(): Promise<void>;
}

interface State {
  size: number;
  sealedAtS: number;
  broken: boolean;
}

/** Seals all committed rows. Before it signs, it compares the log with the stored checkpoint: it never contradicts an earlier signature. */
export async function sealAll(db: Db, signer: LogSigner, checkpoints: CheckpointStore): Promise<number | null> {
  await checkpoints.follow(db);
  let size: number | null = null;
  for (let more = true; more;) {
    const sealed = await sealLog(db, { sign: signer.sign, open: signer.open, known: checkpoints.known });
    more = sealed?.more ?? false;
    size = sealed?.size ?? size;
    if (sealed !== null) await checkpoints.follow(db);
  }
  return size;
}

/** Seals committed rows about once a second, in the background. Replicas take turns. */
export async function startSealing({ db, registry, log, settings }: SealingPorts): Promise<Sealing> {
  const signer = await openLogSigner(settings);
  const state: State = { size: 0, sealedAtS: 0, broken: false };
  registerGauges(registry, {
    hamlet_log_size: { help: 'Entries of the sealed log when this replica last sealed', read: () => state.size },
    hamlet_log_sealed_seconds: {
      help: 'Time when this replica last sealed, in Unix seconds; 0 before the first time',
      read: () => state.sealedAtS,
    },
    hamlet_log_broken: {
      help: '1 if the log contradicts its earlier seals; must stay 0',
      read: () => Number(state.broken),
    },
  });
  if (signer === null) {
    log('warn', 'the log is not sealed: set HAMLET_LOG_KEY_FILE or HAMLET_LOG_DIR');
    return { verifierKey: null, stop: async () => undefined };
  }
  if (settings.folder === undefined)
    log(
      'warn',
      'checkpoints are kept in the database and in memory only: set HAMLET_LOG_DIR, or keep GET /log/checkpoint elsewhere',
    );
  const stopping = new AbortController();
  const loop = run({ db, log, signer, settings, state, signal: stopping.signal });
  return {
    verifierKey: signer.verifierKey,
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
}

type Run = Pick<SealingPorts, 'db' | 'log' | 'settings'> & {
  readonly signer: LogSigner;
  readonly state: State;
  readonly signal: AbortSignal;
};

async function run({ db, log, signer, settings, state, signal }: Run): Promise<void> {
  const memory = keepInMemory(signer);
  let checkpoints: CheckpointStore | null = null;
  while (!signal.aborted) {
    let pauseMs = SEAL_EVERY_MS;
    try {
      checkpoints ??=
        settings.folder === undefined
          ? memory
          : keepInBoth(await openCheckpointFolder(settings.folder, signer), memory);
      state.size = (await sealAll(db, signer, checkpoints)) ?? state.size;
      state.sealedAtS = Math.floor(Date.now() / 1_000);
      state.broken = false;
    } catch (error) {
      state.broken = error instanceof LogBroken;
      if (state.broken) pauseMs = BROKEN_EVERY_MS;
      if (state.broken)
        log(
          'error',
          'the database contradicts the sealed log: nothing more is sealed until an admin repairs it (docs/LOG.md)',
          { error },
        );
      else log('warn', 'sealing failed; trying again', { error });
      // The folder may be half written, so the next attempt opens it again.
      checkpoints = null;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
