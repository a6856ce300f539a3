import type { flagPost, ModerationNote } from '@hamlet/contract';
import { FLAGS_HIDE_AT, flagWeight, NEWCOMER_S } from '@hamlet/core';
import {
  findPost,
  findReply,
  lockSubject,
  insertFlag,
  setViewer,
  readFlagRecord,
  setHidden,
  subjectId,
  VILLAGE,
  weighFlags,
} from '@hamlet/store';
import type { PostRow, ReplyRow, Subject, Tx } from '@hamlet/store';
import { inTx, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { recordAct } from '../audit/record-act.ts';
import { authorOf, isAuthor, type Author } from './author-of.ts';
import { overRate, lockAuthor, type LockedAuthor } from './author-lock.ts';
import type { Village } from '../village.ts';

type Asked = RequestOf<typeof flagPost>;

function findSubject(tx: Tx, { postId, replyId }: Subject): Promise<PostRow | ReplyRow | null> {
  return replyId === null ? findPost(tx, postId) : findReply(tx, postId, replyId);
}

async function weightOf(tx: Tx, author: Author, { record }: LockedAuthor): Promise<number> {
  const { authorType, authorId } = author.by;
  const past = await readFlagRecord(tx, { authorType, authorId });
  return flagWeight({
    kind: author.kind,
    rank: author.rank,
    isNew: record.knownForS !== null && record.knownForS < NEWCOMER_S,
    ...past,
  });
}

/** Hides a text that has enough flags, unless it belongs to the village. Null if the text stays visible. */
async function hideIfHeavy(
  tx: Tx,
  subject: Subject,
  { requestId, traceparent, now }: Asked,
): Promise<ModerationNote | null> {
  const held = await lockSubject(tx, subject);
  const { weight, reason } = await weighFlags(tx, subject);
  if (held === null || reason === null) return null;
  if (held.hidden !== null || held.authorType === 'system' || weight < FLAGS_HIDE_AT) return held.hidden;
  const hidden: ModerationNote = { reason, note: null, by: 'flags', at: now.toISOString() };
  await setHidden(tx, subject, { hidden, wasHidden: false });
  const detail = { post_id: subject.postId, reason, weight };
  await recordAct(
    tx,
    { actor: { role: 'system', id: 'flags' }, requestId, traceparent },
    { action: 'board.hide', object: subjectId(subject), detail },
  );
  return hidden;
}

async function flag(
  request: Asked,
  tx: Tx,
  village: Village,
): Promise<Outcome<{ post_id: string; reply_id: string | null; hidden: boolean }>> {
  const { actor, params, body } = request;
  const author = authorOf(actor, village.source);
  if (!author.ok) return author;
  const locked = await lockAuthor(tx, author);
  const subject: Subject = { postId: params.post_id, replyId: body.reply_id };
  const found = await findSubject(tx, subject);
  if (found === null) return refused('no_such_post');
  if (isAuthor(author, found)) return refused('own_post', 'Authors cannot flag their own texts');
  if (found.hidden !== null) return refused('post_moderated');
  const denied = overRate(locked, 'flags');
  if (denied !== null) return denied;
  await setViewer(tx, VILLAGE);
  const weight = await weightOf(tx, author, locked);
  await setViewer(tx, author.viewer);
  const by = { type: author.by.authorType, id: author.by.authorId, name: author.by.authorName };
  if (!(await insertFlag(tx, { ...subject, by, reason: body.reason, note: body.note, weight })))
    return refused('already_flagged');
  await recordAct(tx, request, {
    action: 'board.flag',
    object: subjectId(subject),
    detail: { post_id: subject.postId, reason: body.reason, note: body.note, weight },
  });
  await setViewer(tx, VILLAGE);
  const hidden = await hideIfHeavy(tx, subject, request);
  return {
    ...accepted({ post_id: subject.postId, reply_id: subject.replyId, hidden: hidden !== null }),
    afterCommit: () => village.board.publishDecision(subject, hidden),
  };
}

export function flagHandlers(village: Village): Pick<Handlers, 'flagPost'> {
  return { flagPost: inTx((request, tx) => flag(request, tx, village)) };
}
