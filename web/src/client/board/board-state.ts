import type { BoardEvent, BoardMessage, Post, Reply } from '@hamlet/contract';

/** The board as the socket and the API describe it. `at` is the mark from which a lost connection resumes. */
export interface BoardState {
  readonly at: { readonly epoch: string; readonly offset: number } | null;
  /** Posts as last received; null for a post that the viewer can no longer see. */
  readonly posts: ReadonlyMap<string, Post | null>;
  /** Replies received over the socket, by post; null for a reply that the viewer can no longer see. */
  readonly replies: ReadonlyMap<string, ReadonlyMap<string, Reply | null>>;
  /** Increases when earlier answers may be out of date; lists and threads then request them again. */
  readonly generation: number;
  /** Increases with every event. A search then repeats its request, because only the API knows which posts match. */
  readonly events: number;
  /** Posts and replies by others that arrived while the board was not open. */
  readonly unseen: number;
}

export const EMPTY_BOARD: BoardState = {
  at: null,
  posts: new Map(),
  replies: new Map(),
  generation: 0,
  events: 0,
  unseen: 0,
};

/** Maximum number of posts kept; the oldest are evicted first. Lists keep their own pages. */
export const MAX_POSTS = 500;

/** The person at the page: `id` is null for a visitor, and `looking` is true while the board is open. */
export type Reader = Readonly<{ id: string | null; looking: boolean }>;

export function afterMessage(state: BoardState, message: BoardMessage, reader: Reader): BoardState {
  const at = { epoch: message.epoch, offset: message.offset };
  switch (message.type) {
    case 'snapshot':
      return {
        ...state,
        at,
        posts: new Map(message.posts.map((post) => [post.post_id, post])),
        replies: new Map(),
        generation: state.generation + 1,
      };
    case 'reset':
      return { ...state, at, generation: state.generation + 1 };
    case 'mark':
      return { ...state, at };
    case 'event':
      return afterEvent({ ...state, at }, message, reader);
  }
}

function afterEvent(state: BoardState, event: BoardEvent, reader: Reader): BoardState {
  const learnt = learn(state, event.post_id, event.post);
  const known =
    event.reply_id === null
      ? learnt
      : learnReply(learnt, { post_id: event.post_id, reply_id: event.reply_id }, event.reply);
  return { ...known, events: known.events + 1, unseen: known.unseen + (isNews(event, reader) ? 1 : 0) };
}

/** True if an event counts as unseen: new, by another author, while the board was not open. */
function isNews({ what, post, reply }: BoardEvent, { id, looking }: Reader): boolean {
  const made = what === 'posted' ? post : what === 'replied' ? reply : null;
  return !looking && made !== null && (id === null || made.author_id !== `account ${id}`);
}

export function learn(state: BoardState, postId: string, post: Post | null): BoardState {
  const posts = new Map(state.posts);
  posts.delete(postId);
  posts.set(postId, post);
  for (const id of posts.keys()) {
    if (posts.size <= MAX_POSTS) break;
    posts.delete(id);
  }
  return { ...state, posts };
}

export function learnReply(
  state: BoardState,
  { post_id: postId, reply_id: replyId }: { readonly post_id: string; readonly reply_id: string },
  reply: Reply | null,
): BoardState {
  const of = new Map(state.replies.get(postId));
  of.set(replyId, reply);
  return { ...state, replies: new Map(state.replies).set(postId, of) };
}
