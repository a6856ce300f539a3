import type { BoardAuthor } from '@hamlet/core';
import { VILLAGE } from '@hamlet/store';
import type { Byline, Viewer } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Actor } from '../http/actor.ts';
import { refused } from '../http/outcome.ts';
import type { Refused } from '../http/outcome.ts';
import { viewerOf } from './viewer-of.ts';

/** Who writes, in every way that it matters: to row-level security, to readers, and to limits. */
export interface Author {
  readonly ok: true;
  readonly viewer: Viewer;
  readonly by: Byline;
  readonly kind: BoardAuthor['kind'];
  readonly rank: number;
  /** Of a person who has an account. */
  readonly accountId: string | null;
}

const THE_VILLAGE: Author = {
  ok: true,
  viewer: VILLAGE,
  by: { authorType: 'system', authorId: VILLAGE.actor, authorName: 'The village', authorTier: null },
  kind: 'system',
  rank: 0,
  accountId: null,
};

/** An agent as an author; null where there is none of that id. */
export function agentAuthor(agentId: string, source: AgentSource): Author | null {
  const record = source.get(agentId);
  if (record === null) return null;
  const tier = record.status.tier ?? null;
  const rank = tier === null ? 0 : (source.entitlement(tier)?.rank ?? 0);
  const by: Byline = {
    authorType: 'agent',
    authorId: agentId,
    authorName: record.spec.displayName ?? agentId,
    authorTier: tier,
  };
  return { ok: true, viewer: { role: 'agent', actor: agentId }, by, kind: 'agent', rank, accountId: null };
}

/** Whoever asks, as an author; an admin may write in the name of the village. */
export function authorOf(actor: Actor, source: AgentSource, asType?: 'system'): Author | Refused {
  if (asType === 'system')
    return actor.role === 'admin'
      ? THE_VILLAGE
      : refused('forbidden', 'Only an admin writes in the name of the village');
  if (actor.role === 'agent')
    return agentAuthor(actor.agentId, source) ?? refused('no_such_agent', `There is no agent ${actor.agentId}`);
  if (actor.role !== 'member' && actor.role !== 'admin') return refused('unauthenticated');
  const by: Byline = { authorType: 'human', authorId: actor.id, authorName: actor.name, authorTier: null };
  return { ok: true, viewer: viewerOf(actor), by, kind: actor.role, rank: 0, accountId: actor.accountId };
}

/** Whether whoever writes has written this. Pure. */
export function isAuthor({ by }: Author, row: { readonly authorType: string; readonly authorId: string }): boolean {
  return row.authorType === by.authorType && row.authorId === by.authorId;
}

/** Why a text may not be written anew over the revision that its writer has seen; null where it may. Pure. */
export function refuseRevision(
  author: Author,
  row: { readonly authorType: string; readonly authorId: string; readonly hidden: unknown; readonly revision: number },
  seen: number,
): Refused | null {
  if (!isAuthor(author, row)) return refused('not_its_author');
  if (row.hidden !== null) return refused('post_moderated');
  return row.revision === seen ? null : refused('revision_conflict', `Revision ${row.revision} is the newest`);
}
