import { backoffMs } from '../backoff.ts';
import type { Answer } from '../village/village.ts';

/** Ends whatever works on runs: this process is over. */
export class CycleOver extends Error {}

/** Ends the work on a run: the claim on it has lapsed, and it waits for whoever takes it up again. */
export class ClaimLost extends Error {}

export interface PatiencePorts {
  readonly rest: (ms: number) => Promise<void>;
  readonly dice: () => number;
}

export type Told<T> = Extract<Answer<T>, { kind: 'ok' | 'refused' }>;

/** Asks until the village answers. Rejects with CycleOver where a newer cycle has begun, and with the signal's reason when that aborts. */
export async function untilTold<T>(
  ask: () => Promise<Answer<T>>,
  signal: AbortSignal,
  { rest, dice }: PatiencePorts,
): Promise<Told<T>> {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    const answer = await ask();
    if (answer.kind === 'stale') throw new CycleOver('a newer run cycle has begun');
    if (answer.kind !== 'unreachable') return answer;
    await rest(backoffMs(failures, dice()));
  }
}
