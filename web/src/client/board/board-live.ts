import {
  type BoardEvent,
  BoardMessage,
  type CallData,
  HINTED,
  type Hinted,
  type Post,
  type Reply,
  replyToPost,
  ViewerHint,
} from '@hamlet/contract';
import type { ScenePin } from '../../canvas/model/scene.ts';
import type { Caller } from '../api.ts';
import type { AppState, Session } from '../app-state.ts';
import { type Connection, type LiveSocket, openLiveSocket, socketUrl } from '../stream/live-socket.ts';
import { Outbox } from '../outbox.ts';
import { createStore, type Store } from '../store.ts';

/** The board as the socket and the API describe it. `at` is the mark from which a lost connection resumes. */
interface BoardState {
  readonly at: { readonly epoch: string; readonly offset: number } | null;
  /** Posts as last received; null for a post that the viewer can no longer see. */
  readonly posts: ReadonlyMap<string, Post | null>;
  /** Replies received over the socket, by post; null for a reply that the viewer can no longer see. */
  readonly replies: ReadonlyMap<string, ReadonlyMap<string, Reply | null>>;
  /** Increases when earlier answers may be out of date; lists and threads then request them again. */
  readonly generation: number;
  /** Increases with every event. A search then repeats its request, because only the API knows which posts match. */
  readonly events: number;
}

export const EMPTY_BOARD: BoardState = {
  at: null,
  posts: new Map(),
  replies: new Map(),
  generation: 0,
  events: 0,
};

/** Maximum number of posts kept; the oldest are evicted first. Lists keep their own pages. */
export const MAX_POSTS = 500;

export function afterMessage(state: BoardState, message: BoardMessage): BoardState {
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
      return afterEvent({ ...state, at }, message);
  }
}

function afterEvent(state: BoardState, event: BoardEvent): BoardState {
  const learnt = learn(state, event.post_id, event.post);
  const known =
    event.reply_id === null
      ? learnt
      : learnReply(learnt, { post_id: event.post_id, reply_id: event.reply_id }, event.reply);
  return { ...known, events: known.events + 1 };
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

function learnReply(
  state: BoardState,
  { post_id: postId, reply_id: replyId }: { readonly post_id: string; readonly reply_id: string },
  reply: Reply | null,
): BoardState {
  const of = new Map(state.replies.get(postId));
  of.set(replyId, reply);
  return { ...state, replies: new Map(state.replies).set(postId, of) };
}

/** Answers that an event of the board may change. */
const OF_EVENT: readonly Hinted[] = ['unread', 'needs'];

/** The server sends a mark at least this often. */
const BEAT_MS = 20_000;

/** Follows the board over `/ws/board`; starts again for another account. Mutable because it owns the socket. */
export class BoardLive {
  readonly state: Store<BoardState> = createStore<BoardState>(EMPTY_BOARD);
  readonly connection: Store<Connection> = createStore<Connection>('connecting');
  readonly outbox: Outbox<CallData<typeof replyToPost>>;
  readonly #store: Store<AppState>;
  #socket: LiveSocket | null = null;
  #hint: (of: readonly Hinted[]) => void = () => undefined;
  #viewer: string | null = null;
  /** The account that was last signed in: after a session ends, only that account gets its unsent replies back. */
  #writer: string | null = null;
  #read: string | null = null;

  constructor(api: Caller, store: Store<AppState>) {
    this.#store = store;
    this.outbox = new Outbox({
      send: (postId, { body }, idempotencyKey) =>
        api.call(replyToPost, { params: { post_id: postId }, body: { body }, idempotencyKey }),
      idOf: ({ reply_id: id }) => id,
      arrived: ({ reply }) => this.learnReply(reply),
    });
  }

  start(): void {
    this.#viewer = this.#writer = viewerOf(this.#store.get());
    this.#connect();
    this.#store.subscribe(() => this.#follow());
    this.state.subscribe(() => this.#hangPins());
  }

  /** Calls back with the reads whose answers may have changed, after a hint, an event or a lost connection. */
  onHint(listener: (of: readonly Hinted[]) => void): void {
    this.#hint = listener;
  }

  /** Applies an answer of the API at once; the socket delivers the same change later. */
  learn(post: Post): void {
    this.state.set((state) => learn(state, post.post_id, post));
  }

  learnReply(reply: Reply): void {
    this.state.set((state) => learnReply(state, reply, reply));
  }

  #connect(): void {
    this.#socket = openLiveSocket({
      url: () => {
        const { at } = this.state.get();
        const after = at === null ? '' : `&after=${encodeURIComponent(`${at.epoch}:${at.offset}`)}`;
        return socketUrl(`/ws/board?hints=1${after}`);
      },
      beatMs: BEAT_MS,
      greeting: () => [],
      connection: (connection) => {
        if (connection === 'live' && this.connection.get() === 'reconnecting') this.#hint(HINTED);
        this.connection.set(() => connection);
      },
      message: (data) => {
        if (typeof data === 'string') this.#receive(data);
      },
    });
  }

  #receive(text: string): void {
    const received: unknown = JSON.parse(text);
    const hint = ViewerHint.safeParse(received);
    if (hint.success) {
      this.#hint(hint.data.of);
      return;
    }
    const message = BoardMessage.safeParse(received);
    // A newer server may send kinds of messages that this page does not know.
    if (!message.success) {
      console.warn('the page cannot read a message of the board', message.error.issues);
      return;
    }
    this.state.set((state) => afterMessage(state, message.data));
    if (message.data.type === 'event') this.#hint(OF_EVENT);
  }

  #follow(): void {
    const app = this.#store.get();
    if (app.place.post !== this.#read) {
      this.#read = app.place.post;
      this.#hangPins();
    }
    const viewer = viewerOf(app);
    if (viewer === this.#viewer || app.session.kind === 'unknown') return;
    this.#viewer = viewer;
    if (takesAlong(this.#writer, app.session)) this.outbox.clear();
    this.#writer = viewer ?? this.#writer;
    this.#socket?.close();
    this.state.set((state) => ({ ...EMPTY_BOARD, generation: state.generation + 1 }));
    this.#connect();
  }

  /** Pins open posts that have a place, and the post that is being read. */
  #hangPins(): void {
    const { place, pins: before } = this.#store.get();
    const pins = pinsOf([...this.state.get().posts.values()], place.post);
    if (JSON.stringify(pins) !== JSON.stringify(before)) this.#store.set((state) => ({ ...state, pins }));
  }
}

function pinsOf(posts: readonly (Post | null)[], read: string | null): ScenePin[] {
  return posts
    .flatMap((post): (ScenePin & { readonly at: string })[] => {
      if (post === null || post.place === null || (post.status !== 'open' && post.post_id !== read)) return [];
      return [
        {
          id: post.post_id,
          x: post.place.x,
          y: post.place.y,
          tone: post.post_id === read ? 'chosen' : 'plain',
          at: post.created_at,
        },
      ];
    })
    .toSorted((left, right) => right.at.localeCompare(left.at))
    .map(({ at: _at, ...pin }) => pin);
}

function viewerOf({ session }: AppState): string | null {
  return session.kind === 'account' ? session.account.account_id : null;
}

/** True after a sign-out, or if another person signs in: the page then discards unsent texts. */
export function takesAlong(writer: string | null, session: Session): boolean {
  if (session.kind === 'visitor') return !session.ended;
  return session.kind === 'account' && writer !== null && writer !== session.account.account_id;
}
