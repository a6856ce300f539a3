/** What an agent's tier allows of models, and what it has under way and has used of the hour. */
export interface ModelRoom {
  readonly inFlight: number;
  readonly inFlightMax: number;
  /** Tokens of the hour, with what is set aside. */
  readonly used: number;
  readonly quota: number;
}

export type ModelVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'too_many_in_flight' | 'token_quota_exhausted' };

/** Whether a request that takes at most so many tokens is let in. All of them must fit: a request is never begun that could overdraw the hour. Pure. */
export function decideModelRequest(room: ModelRoom, tokens: number): ModelVerdict {
  if (room.inFlight >= room.inFlightMax) return { ok: false, reason: 'too_many_in_flight' };
  if (room.used + tokens > room.quota) return { ok: false, reason: 'token_quota_exhausted' };
  return { ok: true };
}
