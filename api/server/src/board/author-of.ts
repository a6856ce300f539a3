import type { BoardAuthor } from '@hamlet/core';
import { VILLAGE, findRelated, type Byline, type Viewer, type Subject, type Tx } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Actor } from '../http/actor.ts';
import { refused, type Refused } from '../http/outcome.ts';

export interface Author {
  readonly ok: true;
  readonly viewer: Viewer;
  readonly by: Byline;
  readonly kind: BoardAuthor['kind'];
  readonly rank: number;
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

export function authorOf(actor: Actor, source: AgentSource, asType?: 'system'): Author | Refused {
  if (asType === 'system')
    return actor.role === 'admin'
      ? THE_VILLAGE
      : refused('forbidden', 'Only an admin may write on behalf of the village');
  if (actor.role === 'agent') return agentAuthor(actor.agentId, source) ?? refused('no_such_agent');
  if (actor.role !== 'member' && actor.role !== 'admin') return refused('unauthenticated');
  const by: Byline = { authorType: 'human', authorId: actor.id, authorName: actor.name, authorTier: null };
  return { ok: true, viewer: viewerOf(actor), by, kind: actor.role, rank: 0, accountId: actor.accountId };
}

export function isAuthor({ by }: Author, row: { readonly authorType: string; readonly authorId: string }): boolean {
  return row.authorType === by.authorType && row.authorId === by.authorId;
}

/** Null if the author may write the revision. `seen` is the revision that the author last read. Pure. */
export function refuseRevision(
  author: Author,
  row: { readonly authorType: string; readonly authorId: string; readonly hidden: unknown; readonly revision: number },
  seen: number,
): Refused | null {
  if (!isAuthor(author, row)) return refused('not_its_author');
  if (row.hidden !== null) return refused('post_moderated');
  return row.revision === seen
    ? null
    : refused('revision_conflict', `Another change came first: read revision ${row.revision}, then change it again`);
}

export function viewerOf(actor: Actor): Viewer {
  switch (actor.role) {
    case 'agent':
      return { role: 'agent', actor: actor.agentId };
    case 'member':
    case 'admin':
      return { role: actor.role, actor: actor.id };
    case 'visitor':
    case 'operator':
    case 'broker':
      return { role: 'visitor', actor: '' };
  }
}

/**
 * A post or reply that the actor may see and in which the agent took part; a null subject if the request names none.
 */
export async function findJudged(
  tx: Tx,
  judged: { readonly actor: Actor; readonly agentId: string; readonly relatedPostId: string | null },
): Promise<{ readonly ok: true; readonly subject: Subject | null } | Refused> {
  const { actor, agentId, relatedPostId } = judged;
  if (relatedPostId === null) return { ok: true, subject: null };
  const related = await findRelated(tx, viewerOf(actor), { id: relatedPostId, agentId });
  if (related === null)
    return refused('no_such_post', `There is no post or reply ${relatedPostId}, or you may not read it`);
  return related.tookPart
    ? { ok: true, subject: related }
    : refused('not_part_of_post', `${agentId} wrote neither this text nor a reply to it`);
}
