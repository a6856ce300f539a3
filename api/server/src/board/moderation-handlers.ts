import type { ModerationItem, ModerationNote, ModerationRecord, moderatePost, Post, Reply } from '@hamlet/contract';
import { decideModeration, type ModerationVerdict } from '@hamlet/core';
import {
  cutPage,
  findLastDecision,
  findPost,
  findReply,
  lockSubject,
  insertDecision,
  setViewer,
  readAs,
  readQueue,
  readQueueDetails,
  reopenFlags,
  setHidden,
  settleFlags,
  subjectId,
  type DecisionRow,
  type FlagRow,
  type LockedSubject,
  type LastDecision,
  type QueueDetails,
  type QueueRow,
  type Subject,
  type Tx,
} from '@hamlet/store';
import { inTx, plain, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { recordAct } from '../audit/record-act.ts';
import { authorOf, viewerOf } from './author-of.ts';
import { nextCursor, readBoardCursor } from './read-handlers.ts';
import { postView, replyView } from './post-view.ts';
import type { Village } from '../village.ts';

type Asked = RequestOf<typeof moderatePost>;

function whoOf(row: FlagRow | DecisionRow): ModerationRecord['by'] {
  return { type: row.byType, id: row.byId, name: row.byName };
}

function recordView(row: DecisionRow): ModerationRecord {
  return {
    moderation_id: row.moderationId,
    decision: row.decision,
    reason: row.reason,
    note: row.note,
    by: whoOf(row),
    at: row.at,
    undone: row.undone,
  };
}

function itemView(line: QueueRow, { posts, replies, flags, decisions }: QueueDetails): ModerationItem[] {
  const post = posts.find(({ postId }) => postId === line.postId);
  const reply = replies.find(({ replyId }) => replyId === line.replyId);
  if (post === undefined) return [];
  const ofLine = ({ subject }: { readonly subject: string }): boolean => subject === line.subject;
  return [
    {
      post: postView(post),
      reply: reply === undefined ? null : replyView(reply),
      weight: line.weight,
      waiting_since: line.waitingSince,
      flags: flags
        .filter(ofLine)
        .map((row) => ({ by: whoOf(row), reason: row.reason, note: row.note, weight: row.weight, at: row.at })),
      decisions: decisions.filter(ofLine).map(recordView),
    },
  ];
}

function hiddenAfter(
  { body, now }: Asked,
  last: LastDecision | null,
  hiddenBy: 'admin' | 'flags' | null,
): ModerationNote | null {
  if (hiddenBy === null) return null;
  if (body.decision === 'undo') return last?.hiddenBefore ?? null;
  return { reason: body.reason, note: body.note, by: hiddenBy, at: now.toISOString() };
}

interface Weighed {
  readonly subject: Subject;
  readonly held: LockedSubject;
  readonly last: LastDecision | null;
}

function verdictOn({ body }: Asked, { held, last }: Weighed): ModerationVerdict | null {
  const lastState = last === null ? null : { decision: last.decision, hiddenByBefore: last.hiddenBefore?.by ?? null };
  return decideModeration(
    { hiddenBy: held.hidden?.by ?? null, openFlags: held.openFlags, last: lastState },
    body.decision,
  );
}

async function carryOut(
  request: Asked,
  tx: Tx,
  {
    subject,
    held,
    last,
    verdict,
    by,
  }: Weighed & { readonly verdict: ModerationVerdict; readonly by: ModerationRecord['by'] },
): Promise<{ readonly moderationId: string; readonly hidden: ModerationNote | null }> {
  const { decision, reason, note } = request.body;
  const undoes = decision === 'undo' ? (last?.moderationId ?? null) : null;
  const moderationId = await insertDecision(tx, {
    ...subject,
    decision,
    reason,
    note,
    by,
    hiddenBefore: held.hidden,
    undoes,
  });
  if (verdict.flags === 'settle') await settleFlags(tx, subject, moderationId);
  if (undoes !== null) await reopenFlags(tx, undoes);
  const hidden = hiddenAfter(request, last, verdict.hiddenBy);
  if (hidden !== null || held.hidden !== null)
    await setHidden(tx, subject, { hidden, wasHidden: held.hidden !== null });
  await recordAct(tx, request, {
    action: `board.${decision}`,
    object: subjectId(subject),
    detail: { post_id: subject.postId, moderation_id: moderationId, reason, note, undoes },
  });
  return { moderationId, hidden };
}

async function moderate(
  request: Asked,
  tx: Tx,
  village: Village,
): Promise<Outcome<{ post: Post; reply: Reply | null; moderation: ModerationRecord }>> {
  const author = authorOf(request.actor, village.source);
  if (!author.ok) return author;
  const subject: Subject = { postId: request.params.post_id, replyId: request.body.reply_id };
  await setViewer(tx, author.viewer);
  const held = await lockSubject(tx, subject);
  if (held === null) return refused('no_such_post');
  const weighed = { subject, held, last: await findLastDecision(tx, subject) };
  const verdict = verdictOn(request, weighed);
  if (verdict === null) return refused('nothing_to_decide');
  const by = { type: author.by.authorType, id: author.by.authorId, name: author.by.authorName };
  const { moderationId, hidden } = await carryOut(request, tx, { ...weighed, verdict, by });
  const post = await findPost(tx, subject.postId);
  const reply = subject.replyId === null ? null : await findReply(tx, subject.postId, subject.replyId);
  const { decisions } = await readQueueDetails(tx, [subject]);
  const made = decisions.find((row) => row.moderationId === moderationId);
  if (post === null || made === undefined) throw new Error('the decision was stored but could not be read');
  const afterCommit = (): void => village.board.publishDecision(subject, hidden);
  return {
    ...accepted({
      post: postView(post),
      reply: reply === null ? null : replyView(reply),
      moderation: recordView(made),
    }),
    afterCommit,
  };
}

export function moderationHandlers(village: Village) {
  return {
    moderatePost: inTx((request, tx) => moderate(request, tx, village)),
    listModeration: plain(async ({ query: { state, cursor, limit }, actor }) => {
      const beyond = readBoardCursor(cursor, state);
      if (beyond === undefined) return refused('cursor_invalid');
      return readAs(village.db, viewerOf(actor), async (tx) => {
        const lines = await readQueue(tx, state, { beyond, limit: limit + 1 });
        const { rows, next } = cutPage(lines, limit, ({ key }) => nextCursor(state, key));
        const details = await readQueueDetails(tx, rows);
        return accepted({ items: rows.flatMap((line) => itemView(line, details)), next_cursor: next });
      });
    }),
  } satisfies Partial<Handlers>;
}
