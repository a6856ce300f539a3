import type { MemoryEntry } from '@hamlet/contract';
import { isOutside } from '@hamlet/core';
import type { RepositoryEntry } from '@hamlet/store';

/** An entry as the API sends it. `readerId` is the agent that reads; null for a person. Pure. */
export function entryView(entry: RepositoryEntry, readerId: string | null): MemoryEntry {
  const { memoryId, kind, name, type, to, about, observations, pinned, agentId, runId, changedAt, audience } = entry;
  return {
    memory_id: memoryId,
    kind,
    name,
    type,
    to,
    about,
    observations: [...observations],
    pinned,
    outside: isOutside(entry, readerId ?? agentId),
    agent_id: agentId,
    run_id: runId,
    changed_at: changedAt.toISOString(),
    audience: audience === null ? null : [...audience],
  };
}
