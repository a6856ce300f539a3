import {
  MEMORY_ENTRY_MAX_BYTES,
  OBSERVATIONS_MAX,
  PINNED_MAX,
  REPOSITORY_AUDIENCES_MAX,
  REPOSITORY_ENTRIES_MAX,
  REPOSITORY_MEMORY_MAX_BYTES,
  type MemoryChange,
  type MemoryChangeResult,
} from '@hamlet/contract';
import { audienceKey, mayAllKnow, type MemoryAudience } from './audience.ts';

/** An entry of the memory of a repository, without the time of its last change. */
export interface KeptEntry {
  readonly memoryId: string;
  readonly kind: 'entity' | 'relation';
  readonly name: string;
  readonly type: string;
  readonly to: string | null;
  readonly about: string | null;
  readonly observations: readonly string[];
  readonly pinned: boolean;
  /** True if a tainted run or a second agent wrote to it. */
  readonly outside: boolean;
  readonly agentId: string;
  readonly runId: string;
  /** The audience never changes. */
  readonly audience: MemoryAudience;
}

export type PlacedChange = MemoryChange & { readonly memory_id: string };

interface MemoryWriter {
  readonly agentId: string;
  readonly runId: string;
  /** True if its text is from outside. */
  readonly outside: boolean;
  /** The people who may know what it adds. */
  readonly audience: MemoryAudience;
  /** The people present now: it changes only what all of them may know. */
  readonly present: readonly string[];
}

export interface ChangedMemory {
  readonly results: readonly MemoryChangeResult[];
  readonly written: readonly KeptEntry[];
  /** Ids of entries that the changes removed. */
  readonly forgotten: readonly string[];
}

/** A memory with its size and its audiences. Mutable while one request changes it. */
interface Draft {
  readonly entries: Map<string, KeptEntry>;
  readonly audiences: Set<string>;
  bytes: number;
}

const draftOf = (entries: readonly KeptEntry[]): Draft => ({
  entries: new Map(entries.map((entry) => [entry.memoryId, entry])),
  audiences: new Set(entries.filter(({ audience }) => audience !== null).map(({ audience }) => audienceKey(audience))),
  bytes: entries.reduce((sum, entry) => sum + bytesOfEntry(entry), 0),
});

/**
 * Applies changes in order. A refused change has no effect, and the later ones still apply. New text goes to entries for the
 * writer's audience, beside those of the same name for others. Pure.
 */
export function changeMemory(
  before: readonly KeptEntry[],
  changes: readonly PlacedChange[],
  writer: MemoryWriter,
): ChangedMemory {
  const known = new Map(before.map((entry) => [entry.memoryId, entry]));
  const draft = draftOf(before);
  const results = changes.map((change) => apply(draft, change, writer));
  return {
    results,
    written: [...draft.entries.values()].filter((entry) => known.get(entry.memoryId) !== entry),
    forgotten: [...known.keys()].filter((id) => !draft.entries.has(id)),
  };
}

/** True if the text of an entry is from outside for an agent: a tainted run wrote it, or another agent created it. Pure. */
export const isOutside = (entry: Pick<KeptEntry, 'outside' | 'agentId'>, readerId: string): boolean =>
  entry.outside || entry.agentId !== readerId;

/** Size of an entry in bytes, for the limits. Pure. */
export function bytesOfEntry({ name, type, to, about, observations }: KeptEntry): number {
  return new TextEncoder().encode(JSON.stringify([name, type, to, about, observations])).length;
}

function apply(draft: Draft, change: PlacedChange, writer: MemoryWriter): MemoryChangeResult {
  switch (change.op) {
    case 'add':
      return add(draft, change, writer);
    case 'relate':
      return relate(draft, change, writer);
    case 'drop':
    case 'forget':
    case 'pin': {
      const known = draft.entries.get(change.memory_id);
      if (known === undefined || !mayAllKnow(known.audience, writer.present)) return 'no_such_memory';
      return known.agentId === writer.agentId ? changeOwn(draft, known, { change, writer }) : 'not_yours';
    }
  }
}

type Of<Op extends MemoryChange['op']> = Extract<PlacedChange, { op: Op }>;

/** The entries of a kind and name that everybody in the writer's audience may know. */
const knownToAll = (draft: Draft, { kind, name }: Pick<KeptEntry, 'kind' | 'name'>, { audience }: MemoryWriter) =>
  [...draft.entries.values()].filter(
    (entry) => entry.kind === kind && entry.name === name && mayAllKnow(entry.audience, audience ?? []),
  );

function add(draft: Draft, change: Of<'add'>, writer: MemoryWriter): MemoryChangeResult {
  const same = knownToAll(draft, { kind: 'entity', name: change.name }, writer);
  const known = new Set(same.flatMap(({ observations }) => observations));
  const added = [...new Set(change.observations)].filter((text) => !known.has(text));
  if (added.length === 0 && same.length > 0) return 'done';
  const entity = draft.entries.get(change.memory_id);
  if (entity === undefined) return begin(draft, { ...entityOf(change, writer), observations: added });
  // Two names may collide in one id, by accident or intent, and a note has one id for all audiences.
  const isSame = entity.kind === 'entity' && entity.name === change.name;
  if (!isSame || audienceKey(entity.audience) !== audienceKey(writer.audience)) return 'not_yours';
  const observations = [...entity.observations, ...added];
  if (observations.length > OBSERVATIONS_MAX) return 'memory_full';
  const outside = entity.outside || writer.outside || entity.agentId !== writer.agentId;
  return keep(draft, { ...entity, observations, outside, runId: writer.runId });
}

function relate(draft: Draft, change: Of<'relate'>, writer: MemoryWriter): MemoryChangeResult {
  const same = knownToAll(draft, { kind: 'relation', name: change.from }, writer);
  if (same.some(({ to, type }) => to === change.to && type === change.type)) return 'done';
  return draft.entries.has(change.memory_id) ? 'not_yours' : begin(draft, relationOf(change, writer));
}

const newEntry = ({ agentId, runId, outside, audience }: MemoryWriter) => ({
  agentId,
  runId,
  outside,
  audience,
  pinned: false,
});

const entityOf = ({ memory_id, name, type, about }: Of<'add'>, writer: MemoryWriter) => ({
  ...newEntry(writer),
  memoryId: memory_id,
  kind: 'entity' as const,
  name,
  type,
  to: null,
  about: about ?? null,
});

const relationOf = ({ memory_id, from, to, type }: Of<'relate'>, writer: MemoryWriter): KeptEntry => ({
  ...newEntry(writer),
  memoryId: memory_id,
  kind: 'relation',
  name: from,
  type,
  to,
  about: null,
  observations: [],
});

function begin(draft: Draft, entry: KeptEntry): MemoryChangeResult {
  if (draft.entries.size >= REPOSITORY_ENTRIES_MAX) return 'memory_full';
  if (entry.audience === null) return keep(draft, entry);
  const key = audienceKey(entry.audience);
  if (!draft.audiences.has(key) && draft.audiences.size >= REPOSITORY_AUDIENCES_MAX) return 'memory_full';
  const result = keep(draft, entry);
  if (result === 'done') draft.audiences.add(key);
  return result;
}

function keep(draft: Draft, entry: KeptEntry): MemoryChangeResult {
  const before = draft.entries.get(entry.memoryId);
  const bytes = bytesOfEntry(entry);
  const total = draft.bytes + bytes - (before === undefined ? 0 : bytesOfEntry(before));
  if (bytes > MEMORY_ENTRY_MAX_BYTES || total > REPOSITORY_MEMORY_MAX_BYTES) return 'memory_full';
  draft.entries.set(entry.memoryId, entry);
  draft.bytes = total;
  return 'done';
}

type ChangingOwn = Readonly<{ change: Of<'drop' | 'forget' | 'pin'>; writer: MemoryWriter }>;

function changeOwn(draft: Draft, known: KeptEntry, { change, writer }: ChangingOwn): MemoryChangeResult {
  switch (change.op) {
    case 'forget':
      draft.entries.delete(known.memoryId);
      draft.bytes -= bytesOfEntry(known);
      return 'done';
    case 'drop': {
      const observations = known.observations.filter((text) => !change.observations.includes(text));
      if (observations.length === known.observations.length) return 'done';
      return keep(draft, { ...known, observations, runId: writer.runId });
    }
    case 'pin':
      if (known.pinned === change.pinned) return 'done';
      if (change.pinned && pinsOf(draft, writer) >= PINNED_MAX) return 'too_many_pins';
      return keep(draft, { ...known, pinned: change.pinned });
  }
}

/** Pins of the writer's agent that are in effect for the people present. */
const pinsOf = ({ entries }: Draft, { agentId, present }: MemoryWriter): number =>
  [...entries.values()].filter(
    (entry) => entry.pinned && entry.agentId === agentId && mayAllKnow(entry.audience, present),
  ).length;
