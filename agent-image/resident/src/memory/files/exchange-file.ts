import type { MemoryChangeResult } from '@hamlet/contract';
import type { HandsClient } from '../../hands/hands-client.ts';
import type { Log } from '../../process/json-log.ts';
import type { MemoryRefused } from '../repository-memory.ts';
import type { ExportStore } from './export-store.ts';
import { parseGraph, renderGraph, type GraphEntry, type GraphFile } from './graph-file.ts';
import { keepLines, readMemoryFile, setAside, writeMemoryFile, type FilePlace } from './memory-file.ts';

/** Programs may write while the file is exchanged. */
const TRIES_MAX = 5;

/** Why a change was not kept. */
export type NotKept = Exclude<MemoryChangeResult, 'done'>;

/** `busy`: programs wrote to the file during each of the attempts. */
export type Exchanged =
  | { readonly kind: 'done'; readonly refused: readonly NotKept[] }
  | MemoryRefused
  | { readonly kind: 'busy' };

/** A memory file as a run finds it. */
export interface FoundFile {
  /** The last written content; null if it is unknown. */
  readonly base: readonly GraphEntry[] | null;
  /** The content of the file; null if the file is missing. */
  readonly file: GraphFile | null;
  /** False if an entry may seem to be missing because it cannot be read. */
  readonly mayDelete: boolean;
  /** True if another run may have made the changes. */
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
  exchange(run: string, found: FoundFile, signal: AbortSignal): Promise<KeptFile | MemoryRefused>;
}

export interface Exchange {
  /** `all` taints the run if it contains outside text. */
  readonly read: 'own' | 'all';
  /** True after a call of a server, which may have emptied the file. */
  readonly called: boolean;
  readonly signal: AbortSignal;
}

interface Exchanging {
  readonly memory: FileMemory;
  readonly hands: HandsClient;
  readonly run: string;
  readonly left: boolean;
  readonly place: FilePlace;
  readonly exports: ExportStore;
  readonly log: Pick<Log, 'warn'>;
}

/** Takes the changes that programs made to a file, and writes the file again with what its memory states. */
export async function exchangeFile(exchanging: Exchanging, how: Exchange): Promise<Exchanged> {
  const refused: NotKept[] = [];
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const end = await tryExchange(exchanging, { ...how, refused });
    if (end !== 'changed') return end;
  }
  return { kind: 'busy' };
}

/** The file is written before its entries are stored: after a crash in between, known entries are added again, without effect. */
async function tryExchange(
  { memory, hands, run, left, place, exports, log }: Exchanging,
  { read, called, signal, refused }: Exchange & { readonly refused: NotKept[] },
): Promise<Exchanged | 'changed'> {
  const warn = (why: string): void => log.warn('memory_file', { run_id: run, why });
  const file = await readOrSetAside(hands, place, warn);
  const graph = file.text === null ? null : parseGraph(file.text, memory.observationChars);
  const found = { base: exports.read(place.path), file: graph, mayDelete: called || file.text !== '', left, read };
  const kept = await memory.exchange(run, found, signal);
  if (kept.kind === 'refused') return kept;
  refused.push(...kept.refused);
  const unreadable = graph?.unreadable ?? [];
  const keptIn = await keepLines(hands, place, unreadable);
  if (keptIn !== null) warn(`${unreadable.length} lines are unreadable: they were moved to ${keptIn}`);
  const text = renderGraph(kept.entries);
  if (text !== file.text && !(await writeMemoryFile(hands, place, { text, seen: file.sha256 }))) return 'changed';
  exports.write(place.path, kept.known ?? kept.entries);
  return { kind: 'done', refused };
}

async function readOrSetAside(hands: HandsClient, place: FilePlace, warn: (why: string) => void) {
  const file = await readMemoryFile(hands, place);
  if (file.kind === 'read') return file;
  warn(`${file.why}: it was moved to ${await setAside(hands, place)}`);
  return { text: null, sha256: null };
}
