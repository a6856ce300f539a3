import type { AgentMemory, OwnMemoryChange } from '@hamlet/contract';
import { certaintyOf } from '@hamlet/core';
import type { AgentMemoryRow, AgentMemoryState, OwnChangeRow } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';

/** True if an actor may change a memory: one of its people, or an admin. Pure. */
export const mayChangeMemory = (
  { role, id }: Pick<Actor, 'role' | 'id'>,
  audience: readonly string[] | null,
): boolean => role === 'admin' || (audience?.includes(id) ?? false);

/** A memory as the API sends it to a person. Pure. */
export function agentMemoryView(row: AgentMemoryRow, actor: Pick<Actor, 'role' | 'id'>): AgentMemory {
  const { kind, text, about, speaker, audience, pinned, dormant, outside, corrected, importance, uses, repository } =
    row;
  return {
    memory_id: row.memoryId,
    kind,
    text,
    about,
    speaker,
    audience: audience === null ? null : [...audience],
    pinned,
    dormant,
    outside,
    corrected,
    importance,
    uses,
    used_at: row.usedAt?.toISOString() ?? null,
    since: row.since.toISOString(),
    until: row.until?.toISOString() ?? null,
    replaces: row.replaces,
    run_id: row.runId,
    session_id: row.sessionId,
    repository,
    certainty: certaintyOf(row),
    may_change: mayChangeMemory(actor, audience),
    waiting: row.waiting,
  };
}

const NOT_REPORTED: AgentMemoryState = { mind: null, totals: null, syncedAt: null, shown: 0, waiting: 0 };

/** The newest report of an agent as the API sends it; `state` is null before the first. Pure. */
export function memoryStateView(state: AgentMemoryState | null) {
  const { mind, totals, syncedAt, shown, waiting } = state ?? NOT_REPORTED;
  return { mind, totals, synced_at: syncedAt?.toISOString() ?? null, shown, waiting };
}

/** A change as the API sends it to the person who made it. Pure. */
export const ownChangeView = ({ number, op, memoryId, at, state, reason }: OwnChangeRow): OwnMemoryChange => ({
  number,
  op,
  memory_id: memoryId,
  at: at.toISOString(),
  state,
  reason,
});
