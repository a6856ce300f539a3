import { type GivenFile, newIdempotencyKey } from '@hamlet/contract';
import type { Refused, Reply } from './api.ts';
import { isFinal } from './query/use-live.ts';
import { createStore, type Store } from './store.ts';

/** `sentId` is null until the API accepts the text. A refused text stays until its writer resends or discards it. */
interface PendingText {
  readonly id: string;
  readonly key: string;
  readonly body: string;
  readonly files: readonly GivenFile[];
  readonly refused: Refused | null;
  readonly sentId: string | null;
}

type Letter = Pick<PendingText, 'body' | 'files'>;

export const NO_TEXTS: readonly PendingText[] = [];

/** The write that an outbox makes. `arrived` receives each answer of the API; `idOf` gives the id under which the text is shown. */
interface OutboxPort<A> {
  send(placeId: string, letter: Letter, idempotencyKey: string): Promise<Reply<A>>;
  idOf(answer: A): string;
  arrived(answer: A): void;
}

/** Pending texts by their place. They stay when the place closes. Mutable because texts come and go. */
export class Outbox<A> {
  readonly state: Store<ReadonlyMap<string, readonly PendingText[]>> = createStore<
    ReadonlyMap<string, readonly PendingText[]>
  >(new Map());
  readonly #port: OutboxPort<A>;
  readonly #newKey: () => string;

  constructor(port: OutboxPort<A>, newKey: () => string = newIdempotencyKey) {
    this.#port = port;
    this.#newKey = newKey;
  }

  async add(placeId: string, body: string, files: readonly GivenFile[] = []): Promise<void> {
    const key = this.#newKey();
    const entry: PendingText = { id: key, key, body, files, refused: null, sentId: null };
    this.#change(placeId, (entries) => [...entries, entry]);
    await this.#send(placeId, entry);
  }

  /** Sends a refused text again: with a new key after a final refusal, otherwise with the same key. */
  async again(placeId: string, { id, key, body, files, refused }: PendingText): Promise<void> {
    if (refused === null) return;
    const entry: PendingText = {
      id,
      key: isFinal(refused) ? this.#newKey() : key,
      body,
      files,
      refused: null,
      sentId: null,
    };
    this.#put(placeId, entry);
    await this.#send(placeId, entry);
  }

  drop(placeId: string, id: string): void {
    this.#change(placeId, (entries) => entries.filter((entry) => entry.id !== id));
  }

  seen(placeId: string, shownIds: ReadonlySet<string>): void {
    const stands = ({ sentId }: PendingText): boolean => sentId !== null && shownIds.has(sentId);
    if (this.state.get().get(placeId)?.some(stands) === true)
      this.#change(placeId, (entries) => entries.filter((entry) => !stands(entry)));
  }

  clear(): void {
    this.state.set((places) => (places.size === 0 ? places : new Map()));
  }

  async #send(placeId: string, entry: PendingText): Promise<void> {
    const reply = await this.#port.send(placeId, entry, entry.key);
    this.#put(
      placeId,
      reply.ok ? { ...entry, sentId: this.#port.idOf(reply.data) } : { ...entry, refused: reply.refused },
    );
    if (reply.ok) this.#port.arrived(reply.data);
  }

  #put(placeId: string, entry: PendingText): void {
    this.#change(placeId, (entries) => entries.map((known) => (known.id === entry.id ? entry : known)));
  }

  #change(placeId: string, change: (entries: readonly PendingText[]) => readonly PendingText[]): void {
    this.state.set((places) => {
      const entries = change(places.get(placeId) ?? NO_TEXTS);
      const next = new Map(places);
      if (entries.length === 0) next.delete(placeId);
      else next.set(placeId, entries);
      return next;
    });
  }
}
