import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { repositoryId, repositoryName } from '@hamlet/core/git';
import { createTurns } from '@hamlet/engine';
import { z } from 'zod';
import { withHands, type HandsClient } from '../../hands/hands-client.ts';
import type { Log } from '../../process/json-log.ts';
import type { MemoryRuns } from '../repository-memory.ts';
import { exchangeFile, type Exchange, type Exchanged, type FileMemory, type NotKept } from './exchange-file.ts';
import type { ExportStore } from './export-store.ts';
import { removeFile } from './memory-file.ts';

export const MEMORY_FILE_VARIABLE = 'MEMORY_FILE_PATH';

/** A repository with the audience for which a run uses its memory; null for everybody who may use the repository. */
export interface MemoryPlace {
  readonly url: string;
  readonly audience: readonly string[] | null;
}

const FOLDER = '.mcp-memory';
const FILE = 'memory.jsonl';
const HASH_DIGITS = 8;
const MAX_PLACED = 64;

/** The memory file of a repository, one for each audience; without a repository, that of the agent. Pure. */
export function memoryFileOf(place: MemoryPlace | null): string {
  if (place === null) return posix.join(FOLDER, FILE);
  const { url, audience } = place;
  const key = audience === null ? repositoryId(url) : JSON.stringify([repositoryId(url), audience.toSorted()]);
  const id = createHash('sha256').update(key).digest('hex').slice(0, HASH_DIGITS);
  return posix.join(FOLDER, `${repositoryName(url)}-${id}`, FILE);
}

/**
 * Memories as files in the hands, in the form of the MCP memory server: those of repositories, and the agent's own. An exchange takes
 * the changes that programs made since the last one, and writes the file again with what all people of the run may know. Different
 * people of a repository have different files, so that an exchange for some never takes what arose with others.
 */
export interface MemoryFiles {
  /** The absolute path of the memory file of a run. Null, and a run without a repository: that of the agent. */
  pathOf(run: string | null): string;
  /** Writes the memory file of a run, once a run. Without a memory behind it, only creates the folder. Never rejects. */
  place(hands: HandsClient, run: string, how: Omit<Exchange, 'called'>): Promise<void>;
  /**
   * Takes the changes that a run's programs made, if a file was written for it. A file that is not for everybody is deleted, unless
   * another run uses it. Never rejects.
   */
  keep(socket: string, run: string, signal: AbortSignal): Promise<void>;
  exchange(hands: HandsClient, run: string, how: Exchange): Promise<Exchanged>;
  /** Serializes uses of the memory file of a run's repository. */
  alone<T>(run: string, use: () => Promise<T>): Promise<T>;
}

interface Ports {
  /** The memory behind the file of a run; null for a run that has ended. */
  readonly memoryOf: (run: string) => FileMemory | null;
  readonly book: MemoryRuns;
  readonly home: string;
  readonly exports: ExportStore;
  readonly log: Pick<Log, 'warn'>;
}

const NOTHING_TO_DO: Exchanged = { kind: 'done', refused: [] };

export function createMemoryFiles({ memoryOf, book, home, exports, log }: Ports): MemoryFiles {
  /** Runs for which a file was written, with its path. */
  const placed = new Map<string, string>();
  const fileOf = (run: string | null): string => memoryFileOf(run === null ? null : placeOf(book.find(run)));
  const inTurn = createTurns();
  const alone: MemoryFiles['alone'] = (run, use) => inTurn(fileOf(run), use);
  const exchange: MemoryFiles['exchange'] = async (hands, run, how) => {
    const memory = memoryOf(run);
    if (memory === null) return NOTHING_TO_DO;
    // Another run may have made the changes that a run's first exchange finds.
    const left = !placed.has(run);
    const [oldest] = placed.keys();
    if (left && placed.size >= MAX_PLACED && oldest !== undefined) placed.delete(oldest);
    const path = fileOf(run);
    placed.set(run, path);
    return exchangeFile({ memory, hands, run, left, place: { root: home, path }, exports, log }, how);
  };
  /** Deletes the file of a run that ends, unless everybody or another run uses it. A run that waits gets it again. */
  const removeOf = async (hands: HandsClient, run: string): Promise<void> => {
    const path = fileOf(run);
    const users = [...placed].filter(([, its]) => its === path).map(([each]) => each);
    const isUsed = users.some((each) => each !== run && book.find(each) !== undefined);
    const isForAll = (placeOf(book.find(run))?.audience ?? null) === null;
    if (isForAll || isUsed) return;
    await removeFile(hands, { root: home, path });
    for (const each of users) placed.delete(each);
  };
  return {
    pathOf: (run) => posix.join(home, fileOf(run)),
    alone,
    exchange,
    place: async (hands, run, how) => {
      if (placed.has(run)) return;
      await quietly(log, run, () =>
        alone(run, async () => {
          if (placed.has(run)) return NOTHING_TO_DO;
          await hands.ask('fs.make', { root: home, path: FOLDER }, z.unknown());
          return exchange(hands, run, { ...how, called: false });
        }),
      );
    },
    keep: async (socket, run, signal) => {
      if (!placed.has(run) || memoryOf(run) === null) return;
      const how = { read: 'own', called: false, signal } as const;
      await quietly(log, run, () =>
        withHands(socket, (hands) =>
          alone(run, async () => {
            const end = await exchange(hands, run, how);
            if (end.kind === 'done') await removeOf(hands, run);
            return end;
          }),
        ),
      );
      placed.delete(run);
    },
  };
}

const placeOf = (booked: ReturnType<MemoryRuns['find']>): MemoryPlace | null =>
  booked === undefined || booked.repository === null
    ? null
    : { url: booked.repository.url, audience: booked.memoryAudience };

/** A failed exchange does not fail the run: the log states the reason, and the next exchange takes the file's content. */
async function quietly(log: Ports['log'], run: string, work: () => Promise<Exchanged>): Promise<void> {
  const warn = (why: string): void => log.warn('memory_file', { run_id: run, why });
  try {
    const end = await work();
    if (end.kind === 'refused') warn(end.detail);
    if (end.kind === 'busy') warn('programs write to the memory file without a pause');
    if (end.kind === 'done' && end.refused.length > 0) warn(notKept(end.refused));
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error));
  }
}

export function notKept(refused: readonly NotKept[]): string {
  const why = refused.includes('memory_full')
    ? 'the memory of this repository is full: delete what is not needed'
    : 'they are about memories that other agents began, or that are gone';
  return `The village did not keep ${refused.length} of the changes, because ${why}.`;
}
