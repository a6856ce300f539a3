import {
  MEMORY_ENTRY_MAX_BYTES,
  OBSERVATIONS_MAX,
  PINNED_MAX,
  REPOSITORY_ENTRIES_MAX,
  REPOSITORY_MEMORY_MAX_BYTES,
  type MemoryChange,
  type MemoryChangeResult,
} from '@hamlet/contract';

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
}

export type PlacedChange = MemoryChange & { readonly memory_id: string };

interface MemoryWriter {
  readonly agentId: string;
  readonly runId: string;
  /** True if its text is from outside. */
  readonly outside: boolean;
}

export interface ChangedMemory {
  readonly results: readonly MemoryChangeResult[];
  readonly written: readonly KeptEntry[];
  /** Ids of entries that the changes removed. */
  readonly forgotten: readonly string[];
}

/** A memory with its size. Mutable while one request changes it. */
interface Draft {
  readonly entries: Map<string, KeptEntry>;
  bytes: number;
}

/** Applies changes in order. A refused change has no effect, and the later ones still apply. Pure. */
export function changeMemory(
  before: readonly KeptEntry[],
  changes: readonly PlacedChange[],
  writer: MemoryWriter,
): ChangedMemory {
  const known = new Map(before.map((entry) => [entry.memoryId, entry]));
  const draft: Draft = { entries: new Map(known), bytes: before.reduce((sum, entry) => sum + bytesOfEntry(entry), 0) };
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
  const known = draft.entries.get(change.memory_id);
  switch (change.op) {
    case 'add':
      return known === undefined ? begin(draft, entityOf(change, writer)) : addTo(draft, known, { change, writer });
    case 'relate':
      return known === undefined ? begin(draft, relationOf(change, writer)) : 'done';
    case 'drop':
    case 'forget':
    case 'pin':
      if (known === undefined) return 'no_such_memory';
      return known.agentId === writer.agentId ? changeOwn(draft, known, { change, writer }) : 'not_yours';
  }
}

type Of<Op extends MemoryChange['op']> = Extract<PlacedChange, { op: Op }>;

const entityOf = ({ memory_id, name, type, observations, about }: Of<'add'>, writer: MemoryWriter): KeptEntry => ({
  ...writer,
  memoryId: memory_id,
  kind: 'entity',
  name,
  type,
  to: null,
  about: about ?? null,
  observations: [...new Set(observations)],
  pinned: false,
});

const relationOf = ({ memory_id, from, to, type }: Of<'relate'>, writer: MemoryWriter): KeptEntry => ({
  ...writer,
  memoryId: memory_id,
  kind: 'relation',
  name: from,
  type,
  to,
  about: null,
  observations: [],
  pinned: false,
});

function begin(draft: Draft, entry: KeptEntry): MemoryChangeResult {
  return draft.entries.size >= REPOSITORY_ENTRIES_MAX ? 'memory_full' : keep(draft, entry);
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

type Adding = Readonly<{ change: Of<'add'>; writer: MemoryWriter }>;

function addTo(draft: Draft, known: KeptEntry, { change, writer }: Adding): MemoryChangeResult {
  // Two names may collide in one id, by accident or intent.
  if (known.kind !== 'entity' || known.name !== change.name) return 'not_yours';
  const added = [...new Set(change.observations)].filter((text) => !known.observations.includes(text));
  if (added.length === 0) return 'done';
  const observations = [...known.observations, ...added];
  if (observations.length > OBSERVATIONS_MAX) return 'memory_full';
  const outside = known.outside || writer.outside || known.agentId !== writer.agentId;
  return keep(draft, { ...known, observations, outside, runId: writer.runId });
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
    case 'pin': {
      const pins = [...draft.entries.values()].filter(({ pinned, agentId }) => pinned && agentId === writer.agentId);
      if (known.pinned === change.pinned) return 'done';
      if (change.pinned && pins.length >= PINNED_MAX) return 'too_many_pins';
      return keep(draft, { ...known, pinned: change.pinned });
    }
  }
}
