import { newIdempotencyKey, type Reply as BoardReply, replyToPost } from '@hamlet/contract';
import type { Caller, Refused } from '../api.ts';
import { isFinal } from '../query/use-intent.ts';
import { createStore, type Store } from '../store.ts';

/**
 * A reply that its thread does not show yet. `replyId` is null until the API accepts the reply. A refused reply stays
 * until its writer sends it again or discards it.
 */
export interface PendingReply {
  readonly id: string;
  readonly key: string;
  readonly body: string;
  readonly refused: Refused | null;
  readonly replyId: string | null;
}

export const NO_REPLIES: readonly PendingReply[] = [];

/** Pending replies by post. They stay when the thread closes. Mutable because replies come and go. */
export class Outbox {
  readonly state: Store<ReadonlyMap<string, readonly PendingReply[]>> = createStore<
    ReadonlyMap<string, readonly PendingReply[]>
  >(new Map());
  readonly #api: Caller;
  readonly #arrived: (reply: BoardReply) => void;
  readonly #newKey: () => string;

  /** @param arrived receives each reply that the API accepted */
  constructor(api: Caller, arrived: (reply: BoardReply) => void, newKey: () => string = newIdempotencyKey) {
    this.#api = api;
    this.#arrived = arrived;
    this.#newKey = newKey;
  }

  async add(postId: string, body: string): Promise<void> {
    const key = this.#newKey();
    const entry: PendingReply = { id: key, key, body, refused: null, replyId: null };
    this.#change(postId, (entries) => [...entries, entry]);
    await this.#send(postId, entry);
  }

  /**
   * Sends a refused reply again. It has a new key if the refusal was final; otherwise the same key, because the first
   * request may have succeeded.
   */
  async again(postId: string, { id, key, body, refused }: PendingReply): Promise<void> {
    if (refused === null) return;
    const entry: PendingReply = {
      id,
      key: isFinal(refused) ? this.#newKey() : key,
      body,
      refused: null,
      replyId: null,
    };
    this.#put(postId, entry);
    await this.#send(postId, entry);
  }

  drop(postId: string, id: string): void {
    this.#change(postId, (entries) => entries.filter((entry) => entry.id !== id));
  }

  /** Removes the pending replies that the thread of the post now shows. */
  seen(postId: string, replyIds: ReadonlySet<string>): void {
    const stands = ({ replyId }: PendingReply): boolean => replyId !== null && replyIds.has(replyId);
    if (this.state.get().get(postId)?.some(stands) === true)
      this.#change(postId, (entries) => entries.filter((entry) => !stands(entry)));
  }

  clear(): void {
    this.state.set((posts) => (posts.size === 0 ? posts : new Map()));
  }

  async #send(postId: string, entry: PendingReply): Promise<void> {
    const reply = await this.#api.call(replyToPost, {
      params: { post_id: postId },
      body: { body: entry.body },
      idempotencyKey: entry.key,
    });
    this.#put(postId, reply.ok ? { ...entry, replyId: reply.data.reply_id } : { ...entry, refused: reply.refused });
    if (reply.ok) this.#arrived(reply.data.reply);
  }

  #put(postId: string, entry: PendingReply): void {
    this.#change(postId, (entries) => entries.map((known) => (known.id === entry.id ? entry : known)));
  }

  #change(postId: string, change: (entries: readonly PendingReply[]) => readonly PendingReply[]): void {
    this.state.set((posts) => {
      const entries = change(posts.get(postId) ?? NO_REPLIES);
      const next = new Map(posts);
      if (entries.length === 0) next.delete(postId);
      else next.set(postId, entries);
      return next;
    });
  }
}
