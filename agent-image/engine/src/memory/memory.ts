import type { z } from 'zod';
import type { Documents } from './documents/documents.ts';
import type { StateDocument } from './state/state-document.ts';

/** Where a memory belongs in the five layers of a memory. The state of an agent is a document of its own. */
export type Layer = 'conversation' | 'document' | 'profile' | 'tool';

/** For whom a memory is: everybody, or these people (ids, at least one). It never changes after the memory was made. */
export type Audience = 'public' | readonly string[];

/**
 * The people who are present when memories are read: each memory must be for every one of them. `public`, and an empty list: only
 * public memories.
 * `keeper`: all memories, for the process that keeps the store (mirror, export, migration); never for speech.
 */
export type Present = Audience | 'keeper';

/** `outside`: text from outside the village reached the memory. A fact inherits the taint of its evidence. */
export type Taint = 'none' | 'outside';

type Common = Readonly<{
  id: string;
  text: string;
  layer: Layer;
  audience: Audience;
  /** The URL of the repository in which it arose; null outside repositories. */
  repository: string | null;
  /** When it was said or learned, in ms since 1970. */
  at: number;
  taint: Taint;
  /** From 0 to 1. */
  importance: number;
  pinned: boolean;
  /** How often it was reported as used, and when last; see `Memory.use`. */
  uses: number;
  lastUsedAt: number | null;
  /** Number of repetitions, which are not stored a second time, and the time of the last one. */
  repeats: number;
  lastSaidAt: number;
  /** A dormant memory ranks lower. `use` wakes it. */
  state: 'active' | 'dormant';
}>;

/** Words of a person or an agent, exactly as said. It never changes; it may be forgotten. */
export type Evidence = Common & Readonly<{ kind: 'evidence'; session: string; turn: number; speaker: string }>;

/** A statement about a subject, with the evidence from which it was made. A later fact may supersede it; its history stays. */
export type Fact = Common &
  Readonly<{
    kind: 'fact';
    subject: string;
    validFrom: number;
    /** Null while it holds. */
    validTo: number | null;
    /** Id of the fact that this one corrects. */
    supersedes: string | null;
    supersededBy: string | null;
    /** Ids of the evidence or facts from which it was made. When one of them is forgotten, so is this fact. */
    provenance: readonly string[];
  }>;

export type Remembered = Evidence | Fact;

type NewCommon = Readonly<{
  /** A stable id makes `remember` idempotent, even after the memory was forgotten. By default the store numbers it. */
  id?: string;
  text: string;
  audience: Audience;
  layer?: Layer;
  repository?: string | null;
  /** By default now. */
  at?: number;
  taint?: Taint;
  /** From 0 to 1; by default the store's judgement of the text. */
  importance?: number;
  /** Ignored once 200 memories of the audience are pinned. */
  pinned?: boolean;
}>;
export type NewEvidence = NewCommon & Readonly<{ kind: 'evidence'; session: string; turn: number; speaker: string }>;
export type NewFact = NewCommon &
  Readonly<{
    kind: 'fact';
    subject: string;
    validFrom?: number;
    validTo?: number | null;
    supersedes?: string | null;
    provenance?: readonly string[];
  }>;
export type NewMemory = NewEvidence | NewFact;

/** Why a memory was not stored. */
export type RefusalReason =
  /** A text without content to recall: an empty text, a greeting, a heartbeat. */
  | 'low_value'
  | 'forgotten'
  /** A text, id, list or number is outside its limits, or the audience is empty. */
  | 'invalid'
  /**
   * `supersedes` or `provenance` names a memory that is not there, or one of other people: all who see a fact may see its
   * provenance, and all who see a superseded fact may see its successor.
   */
  | 'no_such_memory'
  /** The store has reached its bound with facts and pinned memories alone. */
  | 'full';

export type RememberResult =
  /** `known`: the same was stored before, under this id. */
  | Readonly<{ outcome: 'remembered' | 'known'; id: string }>
  | Readonly<{ outcome: 'refused'; reason: RefusalReason; detail: string }>;

/** One part of a score: what was measured (0 to 1), its weight in the profile, and what it added. */
export type Part = Readonly<{ value: number; weight: number; added: number }>;

export type PartName = 'words' | 'vector' | 'around' | 'link' | 'recency' | 'importance' | 'use' | 'pin';

export type Explanation = Readonly<{
  /** Name and version of the ranking profile. */
  profile: string;
  parts: Readonly<Record<PartName, Part>>;
  /** Factor for a dormant memory, or for a fact that was superseded or has ended; 1 for others. */
  factor: number;
  /** Words of the query in the memory itself. */
  matched: readonly string[];
  /** The earlier hit and the words that led to this one in a second step; null if the query found it by itself. */
  through: Readonly<{ id: string; words: readonly string[] }> | null;
}>;

export type Hit = Readonly<{ memory: Remembered; score: number; explanation?: Explanation }>;

export type SearchOptions = Readonly<{
  audience: Present;
  /** Number of hits, 1 to 100; by default 10. */
  k?: number;
  explain?: boolean;
  /** Only memories that arose in this repository. */
  repository?: string;
  /** Only what arose in this repository, or in none; null: only what arose in none. */
  place?: string | null;
  /** Leaves out what was said in this session. */
  besides?: string;
  kind?: Remembered['kind'];
  layers?: readonly Layer[];
}>;

export type ListOptions = Readonly<{
  audience: Present;
  /** At most 1,000; by default 100. */
  limit?: number;
  /** The `next` of the page before. */
  after?: string;
  repository?: string;
  /** Only what arose in this repository, or in none; null: only what arose in none. */
  place?: string | null;
  kind?: Remembered['kind'];
  layers?: readonly Layer[];
  state?: Remembered['state'];
  session?: string;
  subject?: string;
  pinned?: boolean;
  /** Leaves out what everybody may know. */
  isPrivate?: boolean;
}>;

/** Newest first. `next` is null on the last page. */
export type Page = Readonly<{ memories: readonly Remembered[]; next: string | null }>;

/** The rest of a forgotten memory: its id and a number that grows by 1, so that others can forget it in the same order. */
export type Tombstone = Readonly<{ number: number; id: string; at: number }>;

export type PinResult = 'done' | 'no_such_memory' | 'too_many_pins';

export type MemoryStats = Readonly<{
  evidence: number;
  facts: number;
  active: number;
  dormant: number;
  pinned: number;
  /** Memories that people or agents had forgotten. */
  forgotten: number;
  /** Dormant evidence that the bound of the store has removed. */
  removed: number;
  /** New texts that were stored before, and new texts that the gate refused, since the store was opened. */
  known: number;
  refused: number;
  /** Greatest number of memories. */
  capacity: number;
  /** Size of the store's files. */
  bytes: number;
  embedder: string;
  /** Memories that wait for a vector of the present embedder; search finds them by words. */
  awaitingVectors: number;
  /** Set if the file was damaged: the path of the copy, how many memories came back, and how many rows could not be read. */
  salvage: Readonly<{ aside: string; recovered: number; lost: number; at: number }> | null;
}>;

/** The changes that a copy of the memory lacks. */
export type Changes = Readonly<{
  /**
   * Marks from which the copy may continue: the last confirmed one, and the last one sent since, which may have
   * arrived.
   */
  from: readonly number[];
  /** The mark to settle once the copy has it. */
  to: number;
  changed: readonly Remembered[];
  /** Ids of memories that are gone; the copy may lack them already. */
  gone: readonly string[];
  more: boolean;
}>;

/** Result of a step of `maintain`. `more`: call it again. */
export type Maintained = Readonly<{ embedded: number; demoted: number; removed: number; more: boolean }>;

/**
 * Turns texts into vectors. `embed` returns one vector of `dimensions` numbers for each text, of any length; the store quantizes
 * them. While `embed` fails, memories are stored without vectors and are found by words.
 */
export type Embedder = Readonly<{
  /** Identifies the vectors: texts are embedded again when it changes. */
  id: string;
  dimensions: number;
  embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>;
}>;

export type Memory = Readonly<{
  /** Stores all in one transaction; on disk when it resolves. Each result belongs to the memory at its place. */
  remember: (memories: readonly NewMemory[]) => Promise<readonly RememberResult[]>;
  /** Best first. The same query has the same answer until a memory is added, used or forgotten. */
  search: (query: string, options: SearchOptions) => Promise<readonly Hit[]>;
  /** Reports that memories entered a prompt or an answer. It counts the use and wakes dormant ones. */
  use: (ids: readonly string[]) => void;
  /** Removes memories that all present people may see, with the facts made from them: no byte of them stays in the store's files. */
  forget: (ids: readonly string[], options: Readonly<{ audience: Present }>) => readonly Tombstone[];
  /** Applies tombstones of another copy of this memory, whether or not their memories are here. */
  bury: (ids: readonly string[]) => readonly Tombstone[];
  tombstones: (after: number, limit: number) => readonly Tombstone[];
  pin: (id: string, options: Readonly<{ audience: Present }>) => PinResult;
  unpin: (id: string, options: Readonly<{ audience: Present }>) => PinResult;
  get: (id: string, options: Readonly<{ audience: Present }>) => Remembered | null;
  list: (options: ListOptions) => Page;
  /** The oldest changes that the copy lacks, 1 to 1,000, without those of repetition alone. They come again until they are settled. */
  changes: (limit: number) => Changes;
  settle: (to: number) => void;
  /** Reports memories to the copy again: these ids, or all. */
  recheck: (ids: readonly string[] | 'all') => void;
  stats: () => MemoryStats;
  /** The one document of the agent's state, with its schema. */
  state: <T>(schema: z.ZodType<T>) => StateDocument<T>;
  /** Files and folders that the agent has read, apart from its memories. */
  documents: Documents;
  /** One bounded step of the work that can wait: new vectors, demotion, the maximum size, and documents. Call it when the agent is idle. */
  maintain: () => Promise<Maintained>;
  close: () => void;
}>;

/** Weights and constants of a ranking. A changed profile gets a new version. */
export type RankingProfile = Readonly<{
  name: string;
  version: number;
  weights: Readonly<Record<PartName, number>>;
  /** After this many days, recency has halved. */
  recencyHalfLifeDays: number;
  /** Factors of the score of dormant and superseded memories. */
  dormant: number;
  superseded: number;
}>;

export type MemoryOptions = Readonly<{
  /** Folder of the store, created if missing. One process at a time holds it. */
  dir: string;
  /** By default hashed n-grams, which are computed here. */
  embedder?: Embedder;
  profile?: RankingProfile;
  /** Milliseconds since 1970; by default the system's clock. */
  clock?: () => number;
  /** Greatest number of memories; by default 200,000. */
  capacity?: number;
}>;
