import type { EventOf, EventType, JournalEvent } from '../journal/event.ts';
import type { RunState } from './run-state.ts';

/** The reason why a state does not admit an event. The engine never appends such an event, so a journal with one is damaged. */
export type IllegalMove =
  | 'not_opened'
  | 'already_opened'
  | 'closed'
  | 'cancelled'
  | 'interrupted'
  | 'stale_fence'
  | 'wrong_run'
  | 'stage_order'
  | 'calls_open'
  | 'already_asking'
  | 'not_asking'
  | 'already_warned'
  | 'not_raised'
  | 'no_such_call'
  | 'no_such_request'
  | 'wrong_phase'
  | 'would_repeat'
  | 'diverged'
  | 'nothing_done'
  | 'unsettled_differs';

export type Reduced = Readonly<{ ok: true; state: RunState }> | Readonly<{ ok: false; code: IllegalMove }>;

export const moved = (state: RunState): Reduced => ({ ok: true, state });
export const illegal = (code: IllegalMove): Reduced => ({ ok: false, code });

export const isOneOf = <T extends EventType>(types: readonly T[], event: JournalEvent): event is EventOf<T> =>
  (types as readonly EventType[]).includes(event.type);
