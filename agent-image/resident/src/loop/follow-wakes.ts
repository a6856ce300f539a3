import { backoff } from '@hamlet/core/backoff';
import { API_BACKOFF } from '../village/retry.ts';
import type { Log } from '../process/json-log.ts';
import type { Village } from '../village/village.ts';
import type { RunListener } from '../runs/run-worker.ts';
import type { Inbox } from './inbox.ts';

export interface FollowPorts {
  readonly village: Village;
  readonly inbox: Inbox;
  readonly runs: RunListener;
  readonly cycle: number;
  readonly log: Log;
  readonly rest: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly stop: AbortSignal;
}

/** Keeps the stream of wakes open until the process ends, and resumes after the last wake. A newer cycle ends the inbox. */
export async function followWakes(ports: FollowPorts): Promise<void> {
  const { village, inbox, runs, cycle, log, rest, random, stop } = ports;
  let after: number | null = null;
  let failures = 0;
  while (!stop.aborted) {
    const answer = await village.follow(after, (event) => {
      failures = 0;
      if (event.kind === 'cycle') {
        if (event.cycle > cycle) inbox.end('stale');
        return;
      }
      if (event.kind === 'open') return runs.check();
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
    await rest(backoff(failures, API_BACKOFF, random()));
  }
}

function whyOf(answer: Exclude<Awaited<ReturnType<Village['follow']>>, { kind: 'stale' }>): string {
  switch (answer.kind) {
    case 'ok':
      return 'the API closed the stream';
    case 'refused':
      return `${answer.code}: ${answer.detail}`;
    case 'unreachable':
      return answer.why;
  }
}
