import { type CallData, type GivenFile, sendMessage } from '@hamlet/contract';
import type { Caller } from '../api.ts';
import type { AppState } from '../app-state.ts';
import { takesAlong } from '../board/board-live.ts';
import { Outbox } from '../outbox.ts';
import { createStore, type Store } from '../store.ts';

/** Effect of the newest message of a conversation on the agent: it was awake, wakes, or stays asleep. */
export type Wake = CallData<typeof sendMessage>['wake'];

export interface MessageOutbox {
  readonly outbox: Outbox<CallData<typeof sendMessage>>;
  readonly wakes: Store<ReadonlyMap<string, Wake>>;
  /** Files that wait for their message to be sent, by the name of its draft. */
  readonly attached: Store<ReadonlyMap<string, readonly GivenFile[]>>;
}

/** An outbox of messages that outlives the panel. It discards them when their writer signs out or another person signs in. */
export function createMessageOutbox(api: Caller, store: Store<AppState>): MessageOutbox {
  const wakes = createStore<ReadonlyMap<string, Wake>>(new Map());
  const attached: MessageOutbox['attached'] = createStore(new Map());
  const outbox: MessageOutbox['outbox'] = new Outbox({
    send: (sessionId, { body: text, files }, idempotencyKey) =>
      api.call(sendMessage, {
        params: { session_id: sessionId },
        body: { text, ...(files.length === 0 ? {} : { files: [...files] }) },
        idempotencyKey,
      }),
    idOf: ({ message }) => message.message_id,
    arrived: ({ message, wake }) => wakes.set((known) => new Map(known).set(message.session_id, wake)),
  });
  let writer: string | null = null;
  store.subscribe(() => {
    const { session } = store.get();
    if (takesAlong(writer, session)) {
      outbox.clear();
      attached.set((all) => (all.size === 0 ? all : new Map()));
    }
    if (session.kind === 'account') writer = session.account.account_id;
  });
  return { outbox, wakes, attached };
}
