import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { MemoryChangeResult } from '@hamlet/contract';
import { repositoryId, repositoryName } from '@hamlet/core/git';
import { z } from 'zod';
import { HandsError, withHands, type HandsClient } from '../../hands/hands-client.ts';
import type { Log } from '../../process/json-log.ts';
import type { ExportStore } from './export-store.ts';
import { parseGraph, renderGraph, type GraphEntry, type GraphFile } from './graph-file.ts';
import type { MemoryRefused, MemoryRuns } from '../repository-memory.ts';
import { FilePart } from '../../hands/process-record.ts';

export const MEMORY_FILE_VARIABLE = 'MEMORY_FILE_PATH';

/** A repository with the people for whom a run uses its memory; null for everybody who may use the repository. */
export interface MemoryPlace {
  readonly url: string;
  readonly people: readonly string[] | null;
}

const FOLDER = '.mcp-memory';
const FILE = 'memory.jsonl';
const HASH_DIGITS = 8;
/** Programs may write while the file is exchanged. */
const TRIES_MAX = 5;
const MAX_PLACED = 64;
const BUSY = 'programs write to the memory file without a pause';

/** The memory file of a repository, one for each group of people; of the agent without a repository. Pure. */
export function memoryFileOf(place: MemoryPlace | null): string {
  if (place === null) return posix.join(FOLDER, FILE);
  const { url, people } = place;
  const key = people === null ? repositoryId(url) : JSON.stringify([repositoryId(url), people.toSorted()]);
  const id = createHash('sha256').update(key).digest('hex').slice(0, HASH_DIGITS);
  return posix.join(FOLDER, `${repositoryName(url)}-${id}`, FILE);
}

/** Why a change was not kept. */
export type NotKept = Exclude<MemoryChangeResult, 'done'>;

export type Exchanged =
  | { readonly kind: 'done'; readonly refused: readonly NotKept[] }
  | MemoryRefused
  | { readonly kind: 'busy' };

/** A memory file as a run finds it. */
export interface FoundFile {
  /** The last written content; null if it is unknown. */
  readonly base: readonly GraphEntry[] | null;
  /** Its content; null if there is none. */
  readonly file: GraphFile | null;
  /** False if missing entries may only be unreadable. */
  readonly mayDelete: boolean;
  /** True if nothing proves which run made the changes. */
  readonly left: boolean;
  readonly read: 'own' | 'all';
}

/** `known`: what the next exchange compares with; by default the entries. */
export interface KeptFile {
  readonly kind: 'kept';
  readonly entries: readonly GraphEntry[];
  readonly known?: readonly GraphEntry[];
  readonly refused: readonly NotKept[];
}

/** The memory behind a file. It takes the changes that programs made, and states the new content. */
export interface FileMemory {
  /** Longest text in the file that is read whole; by default as the API allows. */
  readonly observationChars?: number;
  /** True if the file of this run is a view of this memory. */
  has(run: string): boolean;
  exchange(run: string, found: FoundFile, signal: AbortSignal): Promise<KeptFile | MemoryRefused>;
}

export interface Exchange {
  /** `all` taints the run if it contains outside text. */
  readonly read: 'own' | 'all';
  /** True after a call of a server, which may have emptied the file. */
  readonly called: boolean;
  readonly signal: AbortSignal;
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
  place(
    hands: HandsClient,
    run: string,
    at: { readonly read: 'own' | 'all'; readonly signal: AbortSignal },
  ): Promise<void>;
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
  /** The memories behind the files; a file has the first that claims its run. */
  readonly memories: readonly FileMemory[];
  readonly book: MemoryRuns;
  readonly home: string;
  readonly exports: ExportStore;
  readonly log: Pick<Log, 'warn'>;
}

const NOTHING_TO_DO: Exchanged = { kind: 'done', refused: [] };

export function createMemoryFiles(ports: Ports): MemoryFiles {
  const { memories, book, home } = ports;
  const has = (run: string): boolean => memories.some((memory) => memory.has(run));
  /** Runs for which a file was written, with its path. */
  const placed = new Map<string, string>();
  const makeFolder = folderMaker(home);
  const fileOf = (run: string | null): string => memoryFileOf(run === null ? null : placeOf(book.find(run)));
  const inTurn = createTurns();
  const alone: MemoryFiles['alone'] = (run, use) => inTurn(fileOf(run), use);
  const exchange: MemoryFiles['exchange'] = (hands, run, how) => {
    // Nothing proves which run made the changes that a run's first exchange finds.
    const left = !placed.has(run);
    const [oldest] = placed.keys();
    if (left && placed.size >= MAX_PLACED && oldest !== undefined) placed.delete(oldest);
    const path = fileOf(run);
    placed.set(run, path);
    return exchangeFile(ports, { hands, run, left, place: { root: home, path } }, how);
  };
  /** Deletes the file of a run that ends, unless everybody or another run uses it. A run that waits gets it again. */
  const removeOf = async (hands: HandsClient, run: string): Promise<void> => {
    const path = fileOf(run);
    const users = [...placed].filter(([, its]) => its === path).map(([each]) => each);
    const isUsed = users.some((each) => each !== run && book.find(each) !== undefined);
    const isForAll = (placeOf(book.find(run))?.people ?? null) === null;
    if (isForAll || isUsed) return;
    await removeFile(hands, { root: home, path });
    for (const each of users) placed.delete(each);
  };
  return {
    pathOf: (run) => posix.join(home, fileOf(run)),
    alone,
    exchange,
    place: async (hands, run, { read, signal }) => {
      if (placed.has(run)) return;
      await quietly(ports, run, () =>
        alone(run, async () => {
          await makeFolder(hands);
          if (placed.has(run) || !has(run)) return NOTHING_TO_DO;
          return exchange(hands, run, { read, called: false, signal });
        }),
      );
    },
    keep: async (socket, run, signal) => {
      if (!placed.has(run) || !has(run)) return;
      const how = { read: 'own', called: false, signal } as const;
      await quietly(ports, run, () =>
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
    : { url: booked.repository.url, people: booked.memoryPeople };

/** Creates the folder of memories once. Mutable, because it remembers that. */
function folderMaker(home: string): (hands: HandsClient) => Promise<void> {
  let isThere = false;
  return async (hands) => {
    if (isThere) return;
    await hands.ask('fs.make', { root: home, path: FOLDER }, z.unknown());
    isThere = true;
  };
}

type Turns = <T>(key: string, use: () => Promise<T>) => Promise<T>;

/** Serializes uses of one key. Mutable, because it stores the last use of each. */
function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (key, use) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(use, use);
    const over = turn.catch(() => {});
    last.set(key, over);
    void over.then(() => {
      if (last.get(key) === over) last.delete(key);
    });
    return turn;
  };
}

/** A failed exchange does not fail the run: the log states the reason, and the next exchange takes the file's content. */
async function quietly({ log }: Pick<Ports, 'log'>, run: string, work: () => Promise<Exchanged>): Promise<void> {
  const warn = (why: string): void => log.warn('memory_file', { run_id: run, why });
  try {
    const end = await work();
    if (end.kind === 'refused') warn(end.detail);
    if (end.kind === 'busy') warn(BUSY);
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

interface Exchanging {
  readonly hands: HandsClient;
  readonly run: string;
  readonly left: boolean;
  readonly place: FilePlace;
}

async function exchangeFile(ports: Ports, exchanging: Exchanging, how: Exchange): Promise<Exchanged> {
  const refused: NotKept[] = [];
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const end = await tryExchange(ports, exchanging, { ...how, refused });
    if (end !== 'changed') return end;
  }
  return { kind: 'busy' };
}

type Attempt = Exchange & { readonly refused: NotKept[] };

type Reading = Pick<Exchanging, 'run' | 'place'> & Pick<Ports, 'log'>;

async function readOrSetAside(hands: HandsClient, { run, place, log }: Reading) {
  const file = await readMemoryFile(hands, place);
  if (file.kind === 'read') return file;
  const why = `${file.why}: it was moved to ${await setAside(hands, place)}`;
  log.warn('memory_file', { run_id: run, why });
  return { text: null, sha256: null };
}

/** The file is written before its entries are stored: after a crash in between, known entries are added again, without effect. */
async function tryExchange(
  { memories, exports, log }: Ports,
  { hands, run, left, place }: Exchanging,
  { read, called, signal, refused }: Attempt,
): Promise<Exchanged | 'changed'> {
  const file = await readOrSetAside(hands, { run, place, log });
  const memory = memories.find((each) => each.has(run));
  if (memory === undefined) return NOTHING_TO_DO;
  const graph = file.text === null ? null : parseGraph(file.text, memory.observationChars);
  const found = { base: exports.read(place.path), file: graph, mayDelete: called || file.text !== '', left, read };
  const kept = await memory.exchange(run, found, signal);
  if (kept.kind === 'refused') return kept;
  refused.push(...kept.refused);
  if (graph !== null && graph.unreadable.length > 0) await keepLines(hands, { run, place, log }, graph.unreadable);
  const text = renderGraph(kept.entries);
  if (text !== file.text && !(await writeMemoryFile(hands, place, { text, seen: file.sha256 }))) return 'changed';
  exports.write(place.path, kept.known ?? kept.entries);
  return { kind: 'done', refused };
}

interface FilePlace {
  readonly root: string;
  readonly path: string;
}

/** Unreadable lines that are kept beside a file, without the oldest. */
const UNREADABLE_MAX_CHARS = 64 << 10;
/** The village never writes a larger file: the API stores 256 KiB of a repository. */
const FILE_MAX_BYTES = 512 << 10;

type ReadFile =
  | { readonly kind: 'read'; readonly text: string | null; readonly sha256: string | null }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Reads a memory file. Rejects with `hands_lost`. */
async function readMemoryFile(hands: HandsClient, { root, path }: FilePlace): Promise<ReadFile> {
  try {
    const part = await hands.ask('fs.read', { root, path, offset: 0, bytes: FILE_MAX_BYTES }, FilePart);
    if (part.size > part.data.length || part.sha256 === undefined)
      return { kind: 'unreadable', why: `the memory file has more than ${FILE_MAX_BYTES} bytes` };
    return { kind: 'read', text: part.data.toString(), sha256: part.sha256 };
  } catch (error) {
    if (!(error instanceof HandsError) || error.code === 'hands_lost') throw error;
    if (error.code === 'not_found') return { kind: 'read', text: null, sha256: null };
    return { kind: 'unreadable', why: error.message };
  }
}

async function writeMemoryFile(
  hands: HandsClient,
  { root, path }: FilePlace,
  { text, seen }: { readonly text: string; readonly seen: string | null },
): Promise<boolean> {
  const data = Buffer.from(text).toString('base64');
  try {
    await hands.ask('fs.write', { root, path, data, ifSha256: seen ?? 'absent', parents: true }, z.unknown());
    return true;
  } catch (error) {
    if (error instanceof HandsError && error.code === 'changed') return false;
    throw error;
  }
}

/** Lines that no server can read are kept beside the file: the reference server would fail at each call. */
async function keepLines(hands: HandsClient, { run, place, log }: Reading, lines: readonly string[]): Promise<void> {
  const path = posix.join(posix.dirname(place.path), 'memory.unreadable');
  const beside = { root: place.root, path };
  const before = await readMemoryFile(hands, beside);
  const earlier = before.kind === 'read' ? (before.text ?? '') : '';
  if (lines.every((line) => earlier.includes(line))) return;
  const text = `${earlier}${lines.join('\n')}\n`.slice(-UNREADABLE_MAX_CHARS);
  if (before.kind === 'read') await writeMemoryFile(hands, beside, { text, seen: before.sha256 });
  log.warn('memory_file', { run_id: run, why: `${lines.length} lines are unreadable: they were moved to ${path}` });
}

/** Renames an unreadable file, so that a good one can be written; removes an earlier renamed one. Returns the new path. */
async function setAside(hands: HandsClient, { root, path }: FilePlace): Promise<string> {
  const to = posix.join(posix.dirname(path), 'memory.unreadable');
  await removeFile(hands, { root, path: to });
  await hands.ask('fs.rename', { root, path, to }, z.unknown());
  return posix.join(root, to);
}

/** Removes a file if it is there. */
async function removeFile(hands: HandsClient, { root, path }: FilePlace): Promise<void> {
  await hands.ask('fs.remove', { root, path }, z.unknown()).catch((error: unknown) => {
    if (!(error instanceof HandsError) || error.code !== 'not_found') throw error;
  });
}
