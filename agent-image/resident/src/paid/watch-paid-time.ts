import { createBell } from '../runs/bell.ts';
import type { Log } from '../json-log.ts';
import type { Village } from '../village/village.ts';
import { ASK_AGAIN_MS, decidePaid, mayBegin, paidEnd } from './paid-time.ts';
import type { PaidEnd } from './paid-time.ts';

export interface PaidPorts {
  readonly village: Pick<Village, 'paidTime'>;
  readonly now: () => number;
  readonly log: Log;
  readonly stop: AbortSignal;
}

/** What is known after asking once more. Without an answer it stays: an api of the version before does not know the question, and one that is away cannot answer it. */
async function askOnce({ village, now }: PaidPorts, known: PaidEnd): Promise<PaidEnd> {
  const answer = await village.paidTime();
  return answer.kind === 'ok' ? paidEnd(answer.value, now()) : known;
}

/** Waits until what is paid is not over: a container that was started again in a pod that nobody pays does nothing. */
export async function untilPaid(ports: PaidPorts, everyMs = ASK_AGAIN_MS): Promise<PaidEnd> {
  const timer = createBell();
  for (let known = await askOnce(ports, null), said = false; ; known = await askOnce(ports, known)) {
    if (mayBegin(known, ports.now()) || ports.stop.aborted) return known;
    if (!said)
      ports.log.warn('not_paid', {
        message: 'the paid time of this pod is over: it waits until the next is paid, or the pod is ended',
      });
    said = true;
    await timer.wait(everyMs, ports.stop);
  }
}

/**
 * Watches over what is paid, for when neither the operator nor the api can end this pod. Resolves `over` when the process must end, and `stopped` when it
 * ends for another reason.
 */
export async function watchPaidTime(ports: PaidPorts, begun: PaidEnd): Promise<'over' | 'stopped'> {
  const timer = createBell();
  let known = begun;
  while (!ports.stop.aborted) {
    const decision = decidePaid(known, ports.now());
    if (decision.kind === 'over') return 'over';
    await timer.wait(decision.inMs, ports.stop);
    known = await askOnce(ports, known);
  }
  return 'stopped';
}
