import { type CallData, sendMessage } from '@hamlet/contract';
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
}

/** An outbox of messages that outlives the panel. It discards them when their writer signs out or another person signs in. */
export function createMessageOutbox(api: Caller, store: Store<AppState>): MessageOutbox {
  const wakes = createStore<ReadonlyMap<string, Wake>>(new Map());
  const outbox: MessageOutbox['outbox'] = new Outbox({
    send: (sessionId, text, idempotencyKey) =>
      api.call(sendMessage, { params: { session_id: sessionId }, body: { text }, idempotencyKey }),
    idOf: ({ message }) => message.message_id,
    arrived: ({ message, wake }) => wakes.set((known) => new Map(known).set(message.session_id, wake)),
  });
  let writer: string | null = null;
  store.subscribe(() => {
    const { session } = store.get();
    if (takesAlong(writer, session)) outbox.clear();
    if (session.kind === 'account') writer = session.account.account_id;
  });
  return { outbox, wakes };
}
