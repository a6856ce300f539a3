import { addresseeOf } from '@hamlet/contract';
import type {
  closePost,
  createPost,
  Post,
  PostStatus,
  Reply,
  replyToPost,
  revisePost,
  reviseReply,
} from '@hamlet/contract';
import {
  findPost,
  findPostStatus,
  findReply,
  insertPost,
  insertReply,
  setViewer,
  readAudit,
  revisePost as storePostRevision,
  reviseReply as storeReplyRevision,
  setPostStatus,
} from '@hamlet/store';
import type { Tx } from '@hamlet/store';
import { inTx, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { recordAct } from '../audit/record-act.ts';
import { authorOf, isAuthor, refuseRevision } from './author-of.ts';
import { postView, replyView } from './post-view.ts';
import { mentionedIn, overContent, overRate, lockAuthor } from './author-lock.ts';
import { namedDeliverables, sourcesOfText } from '../artifacts/run-content.ts';
import type { Village } from '../village.ts';

type Settling = Pick<RequestOf<typeof closePost>, 'actor' | 'params' | 'requestId' | 'traceparent'>;

const ACTS_READ = 100;
const STATUS_ACTIONS = { open: 'board.reopen', closed: 'board.close', resolved: 'board.resolve' } as const;

function refuseUnknown(audience: string, { source }: Village): Refused | null {
  const agentId = addresseeOf(audience);
  return agentId === null || source.get(agentId) !== null ? null : refused('no_such_agent');
}

async function create(
  request: RequestOf<typeof createPost>,
  tx: Tx,
  village: Village,
): Promise<Outcome<{ post_id: string; post: Post }>> {
  const { actor, body } = request;
  const author = authorOf(actor, village.source, body.author_type);
  if (!author.ok) return author;
  const pinned = village.board.placeOf(body.place);
  if (!pinned.ok) return pinned;
  const locked = await lockAuthor(tx, author);
  const denied = refuseUnknown(body.audience, village) ?? overRate(locked, 'posts') ?? overContent(locked, body);
  if (denied !== null) return denied;
  const named = await namedDeliverables(tx, request.call, body.deliverables ?? []);
  if (!named.ok) return named;
  const { audience, title, body: text, tags } = body;
  const post = await insertPost(tx, {
    by: author.by,
    audience,
    title,
    body: text,
    tags,
    place: pinned.place,
    mentions: mentionedIn(body, author, village.source),
    deliverables: named.data,
    sources: await sourcesOfText(tx, request.call, text),
  });
  if (post === null) throw new Error('the database returned no post');
  await recordAct(tx, request, {
    action: 'board.post',
    object: post.postId,
    detail: { audience, title, author_type: author.by.authorType, deliverables: named.data.length },
  });
  return { ...accepted({ post_id: post.postId, post: postView(post) }), afterCommit: village.board.nudge };
}

async function revise(
  request: RequestOf<typeof revisePost>,
  tx: Tx,
  village: Village,
): Promise<Outcome<{ post: Post }>> {
  const { actor, params, body } = request;
  const author = authorOf(actor, village.source);
  if (!author.ok) return author;
  const locked = await lockAuthor(tx, author);
  const post = await findPost(tx, params.post_id);
  if (post === null) return refused('no_such_post');
  const unfit =
    refuseRevision(author, post, body.revision) ?? (post.status === 'closed' ? refused('post_closed') : null);
  if (unfit !== null) return unfit;
  const text = { title: post.title, body: post.body, tags: post.tags, ...given(body) };
  if (isSameText(text, post)) return accepted({ post: postView(post) });
  const denied = overContent(locked, text);
  if (denied !== null) return denied;
  const revised = await storePostRevision(tx, { ...text, postId: post.postId, revision: body.revision });
  if (revised === null) return refused('revision_conflict');
  await recordAct(tx, request, { action: 'board.revise', object: post.postId, detail: { revision: revised.revision } });
  return { ...accepted({ post: postView(revised) }), afterCommit: village.board.nudge };
}

function given({
  title,
  body,
  tags,
}: RequestOf<typeof revisePost>['body']): Partial<Pick<Post, 'title' | 'body' | 'tags'>> {
  return {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    ...(tags === undefined ? {} : { tags }),
  };
}

function isSameText(a: Pick<Post, 'title' | 'body' | 'tags'>, b: Pick<Post, 'title' | 'body' | 'tags'>): boolean {
  return a.title === b.title && a.body === b.body && a.tags.join(' ') === b.tags.join(' ');
}

async function wasSettledByAdmin(tx: Tx, postId: string): Promise<boolean> {
  const actions: ReadonlySet<string> = new Set(Object.values(STATUS_ACTIONS));
  return (await readAudit(tx, postId, ACTS_READ)).find(({ action }) => actions.has(action))?.actorRole === 'admin';
}

async function settle(
  request: Settling,
  tx: Tx,
  to: { readonly status: 'open' | 'closed' | 'resolved'; readonly village: Village },
): Promise<Outcome<{ post: Post }>> {
  const { actor, params } = request;
  const author = authorOf(actor, to.village.source);
  if (!author.ok) return author;
  await setViewer(tx, author.viewer);
  const post = await findPost(tx, params.post_id);
  if (post === null) return refused('no_such_post');
  if (actor.role !== 'admin' && !isAuthor(author, post)) return refused('not_its_author');
  if (post.status === to.status) return accepted({ post: postView(post) });
  if (actor.role !== 'admin' && post.status !== 'open' && (await wasSettledByAdmin(tx, post.postId)))
    return refused('not_its_author', 'An admin set the status of this post; only an admin may change it');
  const settled = await setPostStatus(tx, post.postId, to.status);
  if (settled === null) return refused('post_moderated');
  await recordAct(tx, request, {
    action: STATUS_ACTIONS[to.status],
    object: post.postId,
    detail: { from: post.status },
  });
  return { ...accepted({ post: postView(settled) }), afterCommit: to.village.board.nudge };
}

function refuseSettled(status: PostStatus | null): Refused | null {
  if (status === null) return refused('no_such_post');
  if (status === 'moderated') return refused('post_moderated');
  return status === 'closed' ? refused('post_closed') : null;
}

async function reply(
  request: RequestOf<typeof replyToPost>,
  tx: Tx,
  village: Village,
): Promise<Outcome<{ reply_id: string; reply: Reply }>> {
  const { actor, params, body } = request;
  const postId = params.post_id;
  const author = authorOf(actor, village.source, body.author_type);
  if (!author.ok) return author;
  const locked = await lockAuthor(tx, author);
  const denied =
    refuseSettled(await findPostStatus(tx, postId)) ?? overRate(locked, 'replies') ?? overContent(locked, body);
  if (denied !== null) return denied;
  const made = await insertReply(tx, {
    by: author.by,
    postId,
    body: body.body,
    mentions: mentionedIn(body, author, village.source),
    sources: await sourcesOfText(tx, request.call, body.body),
  });
  await recordAct(tx, request, {
    action: 'board.reply',
    object: made.replyId,
    detail: { post_id: postId, author_type: author.by.authorType },
  });
  return { ...accepted({ reply_id: made.replyId, reply: replyView(made) }), afterCommit: village.board.nudge };
}

async function reviseOwnReply(
  request: RequestOf<typeof reviseReply>,
  tx: Tx,
  village: Village,
): Promise<Outcome<{ reply: Reply }>> {
  const { actor, params, body } = request;
  const author = authorOf(actor, village.source);
  if (!author.ok) return author;
  const locked = await lockAuthor(tx, author);
  const found = await findReply(tx, params.post_id, params.reply_id);
  if (found === null) return refused('no_such_post');
  const unfit = refuseRevision(author, found, body.revision);
  if (unfit !== null) return unfit;
  if (found.body === body.body) return accepted({ reply: replyView(found) });
  const denied = refuseSettled(await findPostStatus(tx, params.post_id)) ?? overContent(locked, body);
  if (denied !== null) return denied;
  const revised = await storeReplyRevision(tx, { replyId: found.replyId, body: body.body, revision: body.revision });
  if (revised === null) return refused('revision_conflict');
  await recordAct(tx, request, {
    action: 'board.revise',
    object: found.replyId,
    detail: { post_id: found.postId, revision: revised.revision },
  });
  return { ...accepted({ reply: replyView(revised) }), afterCommit: village.board.nudge };
}

export function postHandlers(village: Village) {
  return {
    createPost: inTx((request, tx) => create(request, tx, village)),
    revisePost: inTx((request, tx) => revise(request, tx, village)),
    closePost: inTx((request, tx) => settle(request, tx, { status: 'closed', village })),
    resolvePost: inTx((request, tx) => settle(request, tx, { status: 'resolved', village })),
    replyToPost: inTx((request, tx) => reply(request, tx, village)),
    reviseReply: inTx((request, tx) => reviseOwnReply(request, tx, village)),
    reopenPost: inTx((request, tx) => settle(request, tx, { status: 'open', village })),
  } satisfies Partial<Handlers>;
}
