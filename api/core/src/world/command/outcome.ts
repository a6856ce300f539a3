import type { WorldEvent, WorldRefusal } from '@hamlet/contract';

/** The events to reduce, in order; empty if the command changes nothing. */
export type CommandOutcome =
  | { readonly ok: true; readonly events: readonly WorldEvent[] }
  | { readonly ok: false; readonly reason: WorldRefusal };

export const refused = (reason: WorldRefusal): CommandOutcome => ({ ok: false, reason });

export const accepted = (...events: readonly WorldEvent[]): CommandOutcome => ({ ok: true, events });
