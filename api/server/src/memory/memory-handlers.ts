import type { RepositoryMemory } from '@hamlet/contract';
import { mayAllKnow } from '@hamlet/core';
import {
  deleteRepositoryMemory,
  inTransaction,
  listMemories,
  lockRepositoryMemory,
  noteRepositoryLook,
  readMemoryVersion,
  readRepositoryMemory,
  writeRepositoryMemory,
} from '@hamlet/store';
import type { Db, MemorySummary, RepositoryEntry, Tx } from '@hamlet/store';
import { z } from 'zod';
import { recordAct } from '../audit/record-act.ts';
import { plain, type Caller, type Handlers } from '../http/handler.ts';
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
    paged(cursor, { ...query, reader: actor.id, list: 'memories' }, async ({ before, limit }) => {
      const mayUse = mayUseRepository(actor);
      const filter = { agentId: query.agent_id ?? null, reader: actor.role === 'admin' ? null : actor.id };
      const { rows, next } = await listMemories(db, { ...filter, after: before, limit });
      return { memories: rows.filter(({ repository }) => mayUse(repository)).map(summaryView), next };
    }),
  );
}

const mayKnow =
  ({ id }: Caller['actor']) =>
  ({ audience }: RepositoryEntry): boolean =>
    mayAllKnow(audience, [id]);

function getRepositoryMemory({ db, mayUseRepository }: Village): Handlers['getRepositoryMemory'] {
  return plain(async (request) => {
    const { query, actor } = request;
    const repository = askedMemory(query.repository);
    if (!mayUseRepository(actor)(repository)) return refused('repository_not_allowed');
    const all = await readRepositoryMemory(db, repository);
    const known = all.filter(mayKnow(actor));
    const answer = (entries: readonly RepositoryEntry[]) =>
      accepted({ repository, entries: entries.map((entry) => entryView(entry, null)) });
    if (query.whose === 'mine') return answer(known);
    if (actor.role !== 'admin') return refused('forbidden', 'Only an admin may read memories that arose with others');
    if (known.length < all.length) await noteLook(db, request, repository);
    return answer(all);
  });
}

/** The audit names an admin who reads memories that arose with others, once an hour. */
const noteLook = (db: Db, caller: Caller, repository: string): Promise<void> =>
  inTransaction(db, async (tx) => {
    await lockRepositoryMemory(tx, repository);
    if ((await readMemoryVersion(tx, repository)) === 0) return;
    if (await noteRepositoryLook(tx, repository, caller.actor.id))
      await recordAct(tx, caller, { action: 'memory.look', object: repository, detail: {} });
  });

/** The memory of a repository, locked, with the entries that the caller may delete: an admin all, others those that they may know. */
async function lockToForget(tx: Tx, { actor }: Caller, repository: string) {
  await lockRepositoryMemory(tx, repository);
  const all = await readRepositoryMemory(tx, repository);
  return { all, own: actor.role === 'admin' ? all : all.filter(mayKnow(actor)) };
}

function forgetRepositoryEntry({ db, mayUseRepository }: Village): Handlers['forgetRepositoryEntry'] {
  return plain((request) =>
    inTransaction(db, async (tx): Promise<Outcome<Forgotten>> => {
      const repository = askedMemory(request.query.repository);
      if (!mayUseRepository(request.actor)(repository)) return refused('repository_not_allowed');
      const { own } = await lockToForget(tx, request, repository);
      const entry = own.find(({ memoryId }) => memoryId === request.params.memory_id);
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
      const { all, own } = await lockToForget(tx, request, repository);
      const forgotten = own.map(({ memoryId }) => memoryId);
      if (own.length < all.length) {
        if (own.length === 0) return refused('no_such_memory');
        await writeRepositoryMemory(tx, repository, { written: [], forgotten });
      } else if (!(await deleteRepositoryMemory(tx, repository))) return refused('no_such_memory');
      const detail = { entries: forgotten.length };
      await recordAct(tx, request, { action: 'memory.forget_all', object: repository, detail });
      return accepted({ forgotten: forgotten.length });
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
