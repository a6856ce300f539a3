/** Limits of an agent's tier for models, with its present use. */
export interface ModelRoom {
  readonly inFlight: number;
  readonly inFlightMax: number;
  /** Used and reserved tokens of the hour. */
  readonly used: number;
  readonly quota: number;
}

export type ModelVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'too_many_in_flight' | 'token_quota_exhausted' };

/** Admits a request that uses at most `tokens`. All of them must fit, so that no request can overdraw the hour. Pure. */
export function decideModelRequest(room: ModelRoom, tokens: number): ModelVerdict {
  if (room.inFlight >= room.inFlightMax) return { ok: false, reason: 'too_many_in_flight' };
  if (room.used + tokens > room.quota) return { ok: false, reason: 'token_quota_exhausted' };
  return { ok: true };
}
