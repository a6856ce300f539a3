import {
  deleteRepositoryMemory,
  inTransaction,
  listMemories,
  lockRepositoryMemory,
  readRepositoryMemory,
  writeRepositoryMemory,
  type MemorySummary,
} from '@hamlet/store';
import type { RepositoryMemory } from '@hamlet/contract';
import { z } from 'zod';
import { recordAct } from '../audit/record-act.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { entryView } from './entry-view.ts';
import { askedMemory } from './memory-key.ts';
import { useRepositoryMemory } from './use-repository-memory.ts';
import type { Village } from '../village.ts';

const cursor = pageCursor(z.string().max(1_000));
type Forgotten = { forgotten: number };

const summaryView = ({ repository, entries, bytes, agents, changedAt }: MemorySummary): RepositoryMemory => ({
  repository,
  entries,
  bytes,
  agents: [...agents],
  changed_at: changedAt.toISOString(),
});

function listRepositoryMemories({ db, mayUseRepository }: Village): Handlers['listRepositoryMemories'] {
  return plain(({ query, actor }) =>
    paged(cursor, { ...query, list: 'memories' }, async ({ before, limit }) => {
      const mayUse = mayUseRepository(actor);
      const { rows, next } = await listMemories(db, { agentId: query.agent_id ?? null, after: before, limit });
      return { memories: rows.filter(({ repository }) => mayUse(repository)).map(summaryView), next };
    }),
  );
}

function getRepositoryMemory({ db, mayUseRepository }: Village): Handlers['getRepositoryMemory'] {
  return plain(async ({ query, actor }) => {
    const repository = askedMemory(query.repository);
    if (!mayUseRepository(actor)(repository)) return refused('repository_not_allowed');
    const entries = await readRepositoryMemory(db, repository);
    return accepted({ repository, entries: entries.map((entry) => entryView(entry, null)) });
  });
}

function forgetRepositoryEntry({ db, mayUseRepository }: Village): Handlers['forgetRepositoryEntry'] {
  return plain((request) =>
    inTransaction(db, async (tx): Promise<Outcome<Forgotten>> => {
      const repository = askedMemory(request.query.repository);
      if (!mayUseRepository(request.actor)(repository)) return refused('repository_not_allowed');
      await lockRepositoryMemory(tx, repository);
      const entry = (await readRepositoryMemory(tx, repository)).find(
        ({ memoryId }) => memoryId === request.params.memory_id,
      );
      if (entry === undefined) return refused('no_such_memory');
      const { memoryId, agentId, runId } = entry;
      await writeRepositoryMemory(tx, repository, { written: [], forgotten: [memoryId] });
      const detail = { memory_ids: [memoryId], agent_id: agentId, run_id: runId };
      await recordAct(tx, request, { action: 'memory.forget', object: repository, detail });
      return accepted({ forgotten: 1 });
    }),
  );
}

function forgetRepositoryMemory({ db, mayUseRepository }: Village): Handlers['forgetRepositoryMemory'] {
  return plain((request) =>
    inTransaction(db, async (tx): Promise<Outcome<Forgotten>> => {
      const repository = askedMemory(request.query.repository);
      if (!mayUseRepository(request.actor)(repository)) return refused('repository_not_allowed');
      await lockRepositoryMemory(tx, repository);
      const forgotten = await deleteRepositoryMemory(tx, repository);
      if (forgotten === null) return refused('no_such_memory');
      await recordAct(tx, request, { action: 'memory.forget_all', object: repository, detail: { entries: forgotten } });
      return accepted({ forgotten });
    }),
  );
}

export function memoryHandlers(village: Village) {
  return {
    useRepositoryMemory: useRepositoryMemory(village),
    listRepositoryMemories: listRepositoryMemories(village),
    getRepositoryMemory: getRepositoryMemory(village),
    forgetRepositoryEntry: forgetRepositoryEntry(village),
    forgetRepositoryMemory: forgetRepositoryMemory(village),
  } satisfies Partial<Handlers>;
}
