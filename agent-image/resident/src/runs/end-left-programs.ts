import type { Refusal } from '@hamlet/contract';
import type { Thinking } from '../engine/thinking.ts';
import type { Log } from '../process/json-log.ts';
import type { Village } from '../village/village.ts';

/** No run has so many attempts, so that the question renews no lease. */
const NO_ATTEMPT = Number.MAX_SAFE_INTEGER;
/** Refusals of a renewal by which a run is over. */
const OVER: ReadonlySet<Refusal> = new Set<Refusal>(['run_settled', 'no_such_run']);

export interface LeftPrograms {
  readonly village: Pick<Village, 'renewRun'>;
  readonly thinking: Pick<Thinking, 'book' | 'endPrograms'>;
  readonly cycle: number;
  /** Runs that have processes in the hands. Rejects if the hands do not answer. */
  readonly runsInHands: () => Promise<readonly string[]>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Ends the processes of runs that were settled while this resident did not know of it. A run about which the API gives no clear
 * answer keeps its processes. Never rejects.
 */
export async function endLeftPrograms({ village, thinking, cycle, runsInHands, log }: LeftPrograms): Promise<void> {
  try {
    for (const run of await runsInHands()) {
      if (thinking.book.find(run) !== undefined) continue;
      const answer = await village.renewRun(run, { cycle, attempt: NO_ATTEMPT });
      if (answer.kind !== 'refused' || !OVER.has(answer.code)) continue;
      await thinking.endPrograms(run);
      log.info('programs_ended', { run_id: run, why: answer.code });
    }
  } catch (error) {
    log.warn('programs_left', { why: error instanceof Error ? error.message : String(error) });
  }
}
