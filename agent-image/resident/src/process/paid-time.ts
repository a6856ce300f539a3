import { setTimeout as delay } from 'node:timers/promises';
import type { Village } from '../village/village.ts';
import type { Log } from './json-log.ts';

/** How long the process outlives its paid time. Meanwhile the operator pays the next hour or ends the pod. */
export const PAID_GRACE_MS = 120_000;
/** Interval at which the process asks the API for its paid time. The operator pays the next hour half an hour in advance. */
export const ASK_EVERY_MS = 300_000;
export const ASK_AGAIN_MS = 15_000;

/** The end of the paid time by the clock of this process, in ms; null if the pod is free of charge or the end is unknown. */
export type PaidEnd = number | null;

export interface PaidAnswer {
  readonly paid_until: string | null;
  readonly now: string;
}

export type PaidDecision = { readonly kind: 'over' } | { readonly kind: 'ask'; readonly inMs: number };

/** Converts the end of the paid time to the clock of this process, because the clocks of two machines differ. */
export function paidEnd({ paid_until, now }: PaidAnswer, nowMs: number): PaidEnd {
  return paid_until === null ? null : nowMs + Date.parse(paid_until) - Date.parse(now);
}

export function decidePaid(end: PaidEnd, nowMs: number): PaidDecision {
  if (end === null) return { kind: 'ask', inMs: ASK_EVERY_MS };
  if (nowMs >= end + PAID_GRACE_MS) return { kind: 'over' };
  if (nowMs >= end) return { kind: 'ask', inMs: Math.min(ASK_AGAIN_MS, end + PAID_GRACE_MS - nowMs) };
  return { kind: 'ask', inMs: Math.min(ASK_EVERY_MS, end - nowMs) };
}

export const mayBegin = (end: PaidEnd, nowMs: number): boolean => end === null || nowMs < end;

export interface PaidPorts {
  readonly village: Pick<Village, 'paidTime'>;
  readonly now: () => number;
  readonly log: Log;
  readonly stop: AbortSignal;
}

/** The end of the paid time after one more request. A failed request changes nothing, because the API may be down or too old. */
async function askOnce({ village, now }: PaidPorts, known: PaidEnd): Promise<PaidEnd> {
  const answer = await village.paidTime();
  return answer.kind === 'ok' ? paidEnd(answer.value, now()) : known;
}

function pause(ms: number, { stop }: PaidPorts): Promise<void> {
  return delay(ms, undefined, { signal: stop }).catch(() => {});
}

/** Waits until the pod has paid time left, so that a container that restarts in an unpaid pod does nothing. */
export async function untilPaid(ports: PaidPorts, everyMs = ASK_AGAIN_MS): Promise<PaidEnd> {
  const message = 'the paid time of this pod is over: the resident waits until the next hour is paid or the pod ends';
  for (let known = await askOnce(ports, null), logged = false; ; known = await askOnce(ports, known)) {
    if (mayBegin(known, ports.now()) || ports.stop.aborted) return known;
    if (!logged) ports.log.warn('not_paid', { message });
    logged = true;
    await pause(everyMs, ports);
  }
}

/**
 * Resolves with `over` when the paid time and the grace are over, and with `stopped` when the process ends for another reason. An
 * unpaid pod therefore ends even if neither the operator nor the API can end it.
 */
export async function watchPaidTime(ports: PaidPorts, begun: PaidEnd): Promise<'over' | 'stopped'> {
  let known = begun;
  while (!ports.stop.aborted) {
    const decision = decidePaid(known, ports.now());
    if (decision.kind === 'over') return 'over';
    await pause(decision.inMs, ports);
    known = await askOnce(ports, known);
  }
  return 'stopped';
}
