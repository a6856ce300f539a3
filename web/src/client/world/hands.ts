import { HandsMessage } from '@hamlet/contract';
import type { AppState } from '../app-state.ts';
import type { Connection } from '../live-socket.ts';

type Hands = Pick<AppState, 'hands'>;

/** The state after a text message of `/ws/world`. A message of a kind that this page does not know changes nothing. Pure. */
export function withHands<S extends Hands>(state: S, text: string): S {
  const message = HandsMessage.safeParse(valueOf(text));
  if (!message.success) return state;
  const { reset, agents } = message.data;
  const hands = new Map(reset ? [] : state.hands);
  for (const [agentId, activity] of Object.entries(agents)) {
    if (activity === null) hands.delete(agentId);
    else hands.set(agentId, activity);
  }
  return { ...state, hands };
}

/** The state after a change of the connection. Without one no activity is known; the next one begins with all of them. Pure. */
export function withConnection<S extends Hands & Pick<AppState, 'connection'>>(state: S, connection: Connection): S {
  if (state.connection === connection) return state;
  const isOpen = connection === 'live' || connection === 'lagging';
  return { ...state, connection, hands: isOpen || state.hands.size === 0 ? state.hands : new Map() };
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
