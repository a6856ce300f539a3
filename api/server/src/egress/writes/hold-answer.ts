import type { EgressPermitted } from '@hamlet/contract';
import { inTransaction, type Tx } from '@hamlet/store';
import type { Village } from '../../village.ts';

/** Judges, and judges again when the permission that the answer waits for has ended, for at most `waitMs` milliseconds. */
export async function holdAnswer(
  { db, writeWaits }: Pick<Village, 'db' | 'writeWaits'>,
  waitMs: number,
  judge: (tx: Tx) => Promise<EgressPermitted>,
): Promise<EgressPermitted> {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const answer = await inTransaction(db, judge);
    const leftMs = untilMs - performance.now();
    if (answer.verdict !== 'wait' || leftMs <= 0) return answer;
    if (!(await writeWaits.wait(answer.permission_id, leftMs))) return answer;
  }
}
