/** The API's memory of repositories in this process, for tests of its users: core decides as in the API. */
import { createHash } from 'node:crypto';
import type { MemoryChange } from '@hamlet/contract';
import { asAudience, changeMemory, isOutside, mayAllKnow, type KeptEntry, type PlacedChange } from '@hamlet/core';
import { repositoryId } from '@hamlet/core/git';
import type { MemoryRefused, RepositoryMemory } from '../memory/repository-memory.ts';
import type { MemoryUse } from '../village/work-village.ts';

export interface MemoryRun {
  readonly agentId: string;
  readonly url: string | null;
  /** The people of its session now; null without a session. */
  readonly people: readonly string[] | null;
}

export interface MemoryVillage {
  readonly runs: Map<string, MemoryRun>;
  readonly memory: RepositoryMemory;
  readonly uses: (MemoryUse & { readonly run: string })[];
  /** Refuses the next uses that contain changes; null lets the village answer. */
  refuse: MemoryRefused | null;
  /** Called before each use is answered. */
  onUse: (use: MemoryUse) => void;
  entries(url: string): readonly KeptEntry[];
  change(run: string, ...changes: readonly MemoryChange[]): void;
  /** Deletes an entry, as a person does. */
  forget(url: string, name: string): void;
}

const NOTE_ID = /^m-[0-9a-f]{12}$/;

function placed(change: MemoryChange, audience: readonly string[] | null): PlacedChange {
  if ('memory_id' in change) return change;
  if (change.op === 'add' && NOTE_ID.test(change.name)) return { ...change, memory_id: change.name };
  const words = change.op === 'add' ? ['e', change.name] : ['r', change.from, change.to, change.type];
  return {
    ...change,
    memory_id: `m-${createHash('sha256')
      .update(JSON.stringify([words, audience]))
      .digest('hex')
      .slice(0, 12)}`,
  };
}

const keyOf = (url: string | null): string => (url === null ? '' : repositoryId(url));

export function aMemoryVillage(): MemoryVillage {
  const memories = new Map<string, readonly KeptEntry[]>();
  const runOf = (run: string): MemoryRun => village.runs.get(run) ?? { agentId: 'nobody', url: null, people: null };
  const write = (run: string, changes: readonly MemoryChange[], left: boolean) => {
    const { agentId, url, people } = runOf(run);
    const before = memories.get(keyOf(url)) ?? [];
    const audience = people === null ? null : asAudience(people);
    const writer = { agentId, runId: run, outside: left, audience, present: people ?? [] };
    const asked = changes.map((change) => placed(change, audience));
    const changed = changeMemory(before, asked, writer);
    const gone = new Set([...changed.forgotten, ...changed.written.map(({ memoryId }) => memoryId)]);
    if (gone.size > 0)
      memories.set(keyOf(url), [...before.filter(({ memoryId }) => !gone.has(memoryId)), ...changed.written]);
    return [...changed.results];
  };
  const village: MemoryVillage = {
    runs: new Map(),
    uses: [],
    refuse: null,
    onUse: () => {},
    entries: (url) => memories.get(keyOf(url)) ?? [],
    change: (run, ...changes) => void write(run, changes, false),
    forget: (url, name) =>
      void memories.set(
        keyOf(url),
        (memories.get(keyOf(url)) ?? []).filter((entry) => entry.name !== name),
      ),
    memory: {
      has: (run) => runOf(run).url !== null,
      isPrivate: (run) => runOf(run).people !== null,
      use: async (run, use) => {
        village.uses.push({ ...use, run });
        village.onUse(use);
        const { changes = [], left = false, read } = use;
        if (village.refuse !== null && changes.length > 0) return village.refuse;
        const results = changes.length === 0 ? [] : write(run, changes, left);
        const { agentId, url, people } = runOf(run);
        const all = (memories.get(keyOf(url)) ?? []).filter(({ audience }) => mayAllKnow(audience, people ?? []));
        const shown = read === 'all' ? all : all.filter((entry) => !isOutside(entry, agentId));
        const entries = read === 'none' ? [] : shown.map((entry) => viewOf(entry, agentId));
        const version = memories.has(keyOf(url)) ? 1 : 0;
        return { kind: 'ok', value: { version, results, entries, outside: all.length - shown.length } };
      },
    },
  };
  return village;
}

const viewOf = (entry: KeptEntry, reader: string) => {
  const { memoryId, kind, name, type, to, about, observations, pinned, agentId, runId, audience } = entry;
  const changed_at = '2026-01-01T00:00:00.000Z';
  const own = {
    memory_id: memoryId,
    kind,
    name,
    type,
    to,
    about,
    pinned,
    agent_id: agentId,
    run_id: runId,
    changed_at,
  };
  const people = audience === null ? null : [...audience];
  return { ...own, observations: [...observations], outside: isOutside(entry, reader), audience: people };
};
