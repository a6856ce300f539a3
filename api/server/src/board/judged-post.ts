import { findRelated } from '@hamlet/store';
import type { Subject, Tx } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import { refused } from '../http/outcome.ts';
import type { Refused } from '../http/outcome.ts';
import { viewerOf } from './viewer-of.ts';

/** What a reward or penalty is for: a post or reply that whoever judges may see, and that the agent has part in; null where none is named. */
export async function findJudged(
  tx: Tx,
  judged: { readonly actor: Actor; readonly agentId: string; readonly relatedPostId: string | null },
): Promise<{ readonly ok: true; readonly subject: Subject | null } | Refused> {
  const { actor, agentId, relatedPostId } = judged;
  if (relatedPostId === null) return { ok: true, subject: null };
  const related = await findRelated(tx, viewerOf(actor), { id: relatedPostId, agentId });
  if (related === null)
    return refused('no_such_post', `There is no post or reply ${relatedPostId}, or it is not for you`);
  return related.tookPart
    ? { ok: true, subject: related }
    : refused('not_part_of_post', `${agentId} wrote neither it nor a reply to it`);
}
