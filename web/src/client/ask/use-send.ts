import { useMemo, useState } from 'react';
import { useStore } from '../store.ts';
import { Sender, type SendState } from './sender.ts';

/** Sending one intent at a time, with what came of the last one; see `Sender`. */
export type Sending = SendState & Pick<Sender, 'send' | 'changed'>;

export function useSend(): Sending {
  const [sender] = useState(() => new Sender());
  const state = useStore(sender.state, (now) => now);
  return useMemo(
    () => ({ ...state, send: (call, intent) => sender.send(call, intent), changed: () => sender.changed() }),
    [sender, state],
  );
}
