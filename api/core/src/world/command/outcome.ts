import type { WorldEvent, WorldRefusal } from '@hamlet/contract';

/** The events to reduce, in order; empty if the command changes nothing. */
export type CommandOutcome =
  | { readonly ok: true; readonly events: readonly WorldEvent[] }
  | { readonly ok: false; readonly reason: WorldRefusal };

export function refused(reason: WorldRefusal): CommandOutcome {
  return { ok: false, reason };
}

export function accepted(...events: readonly WorldEvent[]): CommandOutcome {
  return { ok: true, events };
}
