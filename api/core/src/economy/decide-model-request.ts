export interface ModelRoom {
  readonly inFlight: number;
  readonly inFlightMax: number;
  /** Tokens of this hour, used or reserved. */
  readonly used: number;
  readonly quota: number;
}

export type ModelVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'too_many_in_flight' | 'token_quota_exhausted' };

/** All `tokens` must fit, so that no request exceeds the hour's quota. Pure. */
export function decideModelRequest(room: ModelRoom, tokens: number): ModelVerdict {
  if (room.inFlight >= room.inFlightMax) return { ok: false, reason: 'too_many_in_flight' };
  if (room.used + tokens > room.quota) return { ok: false, reason: 'token_quota_exhausted' };
  return { ok: true };
}
