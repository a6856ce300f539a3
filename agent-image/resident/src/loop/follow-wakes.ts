import { backoffMs } from '../backoff.ts';
import type { Log } from '../json-log.ts';
import type { Village } from '../village/village.ts';
import type { RunEars } from '../runs/run-ears.ts';
import type { Inbox } from './inbox.ts';

export interface FollowPorts {
  readonly village: Village;
  readonly inbox: Inbox;
  readonly runs: RunEars;
  readonly cycle: number;
  readonly log: Log;
  /** Waits so long, or less when the process is told to end. */
  readonly rest: (ms: number) => Promise<void>;
  /** A number in 0…1 by chance. */
  readonly dice: () => number;
  readonly stop: AbortSignal;
}

/**
 * Keeps the stream of wakes open until the process ends, resuming after the last wake seen; fills the inbox.
 * An open stream is also what makes the agent connected. Ends the inbox when a newer cycle has begun.
 */
export async function followWakes({ village, inbox, runs, cycle, log, rest, dice, stop }: FollowPorts): Promise<void> {
  let after: number | null = null;
  let failures = 0;
  while (!stop.aborted) {
    const answer = await village.follow(after, (event) => {
      failures = 0;
      if (event.kind === 'cycle') {
        if (event.cycle > cycle) inbox.end('stale');
        return;
      }
      if (event.kind === 'open') return runs.look();
      if (event.kind === 'run') return runs.hint(event.hint);
      if (event.kind === 'board') return inbox.nudge();
      if (event.wake.kind === 'arrived') runs.arrived();
      after = event.wake.seq;
      inbox.push(event.wake);
    });
    if (answer.kind === 'stale') return inbox.end('stale');
    if (stop.aborted) return;
    failures += 1;
    log.warn('wakes_interrupted', { why: whyOf(answer), failures });
    await rest(backoffMs(failures, dice()));
  }
}

function whyOf(answer: Exclude<Awaited<ReturnType<Village['follow']>>, { kind: 'stale' }>): string {
  switch (answer.kind) {
    case 'ok':
      return 'the api closed the stream';
    case 'refused':
      return `${answer.code}: ${answer.detail}`;
    case 'unreachable':
      return answer.why;
  }
}
