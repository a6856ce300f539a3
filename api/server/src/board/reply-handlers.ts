import type { PostStatus, replyToPost, Reply, reviseReply } from '@hamlet/contract';
import { findPostStatus, findReply, insertReply, reviseReply as storeRevision } from '@hamlet/store';
import type { Tx } from '@hamlet/store';
import type { Handlers, RequestOf } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome, Refused } from '../http/outcome.ts';
import { recordAct } from '../audit/record-act.ts';
import type { Services } from '../routes/services.ts';
import { authorOf, refuseRevision } from './author-of.ts';
import { replyView } from './post-view.ts';
import { mentionedIn, overContent, overRate, sitDown } from './writing-desk.ts';

type Names = 'replyToPost' | 'reviseReply';
type Ports = Pick<Services, 'source' | 'board'>;

/** Why nothing more may be written under a post; null where it may. Pure. */
function refuseSettled(status: PostStatus | null): Refused | null {
  if (status === null) return refused('no_such_post');
  if (status === 'moderated') return refused('post_moderated');
  return status === 'closed' ? refused('post_closed') : null;
}

async function reply(
  request: RequestOf<typeof replyToPost>,
  tx: Tx,
  ports: Ports,
): Promise<Outcome<{ reply_id: string; reply: Reply }>> {
  const {
    actor,
    params: { post_id: postId },
    body,
  } = request;
  const author = authorOf(actor, ports.source, body.author_type);
  if (!author.ok) return author;
  const desk = await sitDown(tx, author);
  const denied =
    refuseSettled(await findPostStatus(tx, postId)) ?? overRate(desk, 'replies') ?? overContent(desk, body);
  if (denied !== null) return denied;
  const made = await insertReply(tx, {
    by: author.by,
    postId,
    body: body.body,
    mentions: mentionedIn(body, author, ports.source),
  });
  await recordAct(tx, request, {
    action: 'board.reply',
    object: made.replyId,
    detail: { post_id: postId, author_type: author.by.authorType },
  });
  return { ...accepted({ reply_id: made.replyId, reply: replyView(made) }), afterCommit: ports.board.nudge };
}

async function revise(
  request: RequestOf<typeof reviseReply>,
  tx: Tx,
  ports: Ports,
): Promise<Outcome<{ reply: Reply }>> {
  const { actor, params, body } = request;
  const author = authorOf(actor, ports.source);
  if (!author.ok) return author;
  const desk = await sitDown(tx, author);
  const found = await findReply(tx, params.post_id, params.reply_id);
  if (found === null) return refused('no_such_post');
  const unfit = refuseRevision(author, found, body.revision);
  if (unfit !== null) return unfit;
  if (found.body === body.body) return accepted({ reply: replyView(found) });
  const denied = refuseSettled(await findPostStatus(tx, params.post_id)) ?? overContent(desk, body);
  if (denied !== null) return denied;
  const revised = await storeRevision(tx, { replyId: found.replyId, body: body.body, revision: body.revision });
  if (revised === null) return refused('revision_conflict');
  await recordAct(tx, request, {
    action: 'board.revise',
    object: found.replyId,
    detail: { post_id: found.postId, revision: revised.revision },
  });
  return { ...accepted({ reply: replyView(revised) }), afterCommit: ports.board.nudge };
}

/** Replies, which are for whoever their post is for. */
export function replyHandlers(ports: Ports): Pick<Handlers, Names> {
  return {
    replyToPost: { kind: 'tx', run: (request, tx) => reply(request, tx, ports) },
    reviseReply: { kind: 'tx', run: (request, tx) => revise(request, tx, ports) },
  };
}
