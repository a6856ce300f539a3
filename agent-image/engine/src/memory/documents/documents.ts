import type { Audience, Present, Taint } from '../memory.ts';

/** A folder or a set of files. The same name, audience and repository is the same source. */
export type NewSource = Readonly<{
  /** Id of a source that is new; by default the store numbers it. */
  id?: string;
  /** The path or address of the source, as people and models name it. */
  name: string;
  audience: Audience;
  /** Searches find it only in this repository; null or absent: everywhere. */
  repository?: string | null;
  /** `outside`: text from outside may be in it. It stays so until the source is removed. */
  taint?: Taint;
}>;

/** One file of a source. Its path is unique in the source. */
export type SourceFile = Readonly<{
  path: string;
  /** All bytes; null if it cannot be read or has more than `MAX_FILE_BYTES`. */
  read: () => Promise<Uint8Array | null>;
}>;

/** Why a file is not in the memory. */
export type SkipReason =
  /** Not UTF-8 text. */
  | 'binary'
  /** Written by a program: a lock file, a minified file, a file that says so. */
  | 'generated'
  /** The name is that of a file with keys or passwords. */
  | 'secret'
  /** Gone, unreadable or too large. */
  | 'unreadable'
  /** A bound of the source or of all documents is reached. */
  | 'no_room';

export type Counts = Readonly<{
  /** Files of the source in the memory, and how many of them this pass found as they were. */
  files: number;
  unchanged: number;
  /** Files whose earlier version was replaced. */
  replaced: number;
  /** Files that this pass has removed from the memory. */
  removed: number;
  /** Pieces of the source in the memory. */
  chunks: number;
  skipped: Readonly<Record<SkipReason, number>>;
}>;

export type Ingested =
  | Readonly<{ outcome: 'ingested'; id: string; counts: Counts }>
  | Readonly<{ outcome: 'refused'; reason: 'invalid' | 'too_many_sources' | 'removed'; detail: string }>;

export type Source = Readonly<{
  id: string;
  name: string;
  audience: Audience;
  repository: string | null;
  taint: Taint;
  /** Begin of the first pass and end of the last one, in ms since 1970; `at` is null before the first end. */
  since: number;
  at: number | null;
  /** False while a pass runs, and after one that was interrupted: the next one completes the source. */
  isWhole: boolean;
  files: number;
  chunks: number;
  bytes: number;
}>;

/** A piece of a file, with what a citation needs. */
export type DocumentHit = Readonly<{
  /** Id and name of the source. */
  source: string;
  name: string;
  path: string;
  /** First and last line, counted from 1. */
  from: number;
  to: number;
  /** Hash of the file's version that has these lines, in hex. */
  sha256: string;
  text: string;
  taint: Taint;
  score: number;
}>;

export type Seeing = Readonly<{
  audience: Present;
  /** Only what belongs to this repository, or to none; null: only what belongs to none. */
  place?: string | null;
}>;

export type Ingesting = Readonly<{
  signal?: AbortSignal;
  /** Called after each batch that is on disk. */
  onProgress?: (counts: Counts) => void;
}>;

/**
 * Documents that an agent has read to be able to cite them. They are apart from memories: they take no place of a memory, in the
 * store or in a search.
 */
export type Documents = Readonly<{
  /**
   * Makes the memory of a source equal to its files: unchanged files cost a hash, changed ones replace their pieces, and others go. A
   * pass that ended early is completed by the next one. Passes run one after another.
   */
  ingest: (
    source: NewSource,
    files: AsyncIterable<SourceFile> | Iterable<SourceFile>,
    how?: Ingesting,
  ) => Promise<Ingested>;
  /** The source of this name, audience and repository; null if there is none. */
  find: (source: Pick<NewSource, 'name' | 'audience' | 'repository'>) => Source | null;
  /** Best first; at most 100. */
  search: (query: string, options: Seeing & Readonly<{ k?: number }>) => Promise<readonly DocumentHit[]>;
  /** Sources that all present people may see, newest first. */
  sources: (seen: Seeing) => readonly Source[];
  /**
   * Removes a source that all present people may see, with all its bytes. Ends a pass that reads it. False if there is
   * none.
   */
  remove: (id: string, seen: Seeing) => Promise<boolean>;
  /** One bounded step of the work that can wait: vectors, and removals that were interrupted. */
  maintain: () => Promise<Readonly<{ embedded: number; more: boolean }>>;
  /** Pieces of all sources. */
  size: () => number;
  close: () => void;
}>;
