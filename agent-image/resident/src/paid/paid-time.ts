/**
 * How long a process goes on behind the end of what is paid: the operator ends the pod, or pays the next hour, within that time wherever it is there.
 */
export const PAID_GRACE_MS = 120_000;
/** While all is well it asks so often; a next hour is paid half an hour before the present one is over. */
export const ASK_EVERY_MS = 300_000;
/** Behind the end it asks so often. */
export const ASK_AGAIN_MS = 15_000;

/** The end of what is paid, by the clock of this process, in ms; null where nothing has to be paid, or nobody has said so far. */
export type PaidEnd = number | null;

/** What the village said: `paid_until` and `now` of its own clock. */
export interface PaidAnswer {
  readonly paid_until: string | null;
  readonly now: string;
}

/** The end by the clock of this process: the clocks of two machines differ. Pure. */
export function paidEnd({ paid_until, now }: PaidAnswer, nowMs: number): PaidEnd {
  return paid_until === null ? null : nowMs + Date.parse(paid_until) - Date.parse(now);
}

/** Whether the process ends itself, or else when it asks again. Pure. */
export type PaidDecision = { readonly kind: 'over' } | { readonly kind: 'ask'; readonly inMs: number };

export function decidePaid(end: PaidEnd, nowMs: number): PaidDecision {
  if (end === null) return { kind: 'ask', inMs: ASK_EVERY_MS };
  if (nowMs >= end + PAID_GRACE_MS) return { kind: 'over' };
  if (nowMs >= end) return { kind: 'ask', inMs: Math.min(ASK_AGAIN_MS, end + PAID_GRACE_MS - nowMs) };
  return { kind: 'ask', inMs: Math.min(ASK_EVERY_MS, end - nowMs) };
}

/** Whether a process may begin: what is paid is not over. Pure. */
export function mayBegin(end: PaidEnd, nowMs: number): boolean {
  return end === null || nowMs < end;
}
