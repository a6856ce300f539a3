import { isReportDue, isSettled, reportText } from '@hamlet/core';
import { insertMessage, readCallTotals, readReportMark, readRunEvents, replaceReport } from '@hamlet/store';
import type { ReportMark, RunRow, Tx } from '@hamlet/store';
import { runEventView } from './run-view.ts';

const EVENTS_READ = 300;

/**
 * Reports a long run in its session, in the transaction that stores its events: one message a run, replaced in place.
 * Does nothing for a short run or one without a session. The caller has locked the run.
 * @param run with its state, steps and events as they are now
 * @param hasMoved true if the state of the run has changed; the report is then updated at once
 */
export async function reportRun(tx: Tx, run: RunRow, hasMoved: boolean): Promise<void> {
  if (run.sessionId === null || run.kind !== 'message' || run.startedAt === null) return;
  const mark = await readReportMark(tx, run.runId);
  const isShown = hasMoved && mark.messageId !== null;
  if (!isShown && !isDue(run, mark, run.startedAt)) return;
  const after = Math.max(0, run.events - EVENTS_READ);
  const events = await readRunEvents(tx, run.runId, { after, limit: EVENTS_READ });
  const text = reportText({
    state: run.state,
    steps: run.steps,
    totals: await readCallTotals(tx, run.runId),
    recent: events.map((event) => runEventView(run.runId, event)),
  });
  if (mark.messageId !== null) return replaceReport(tx, mark.messageId, { text, steps: run.steps });
  await insertMessage(
    tx,
    {
      sessionId: run.sessionId,
      author: { role: 'agent', id: run.agentId, name: run.agentId },
      text,
      runId: run.runId,
      state: 'answered',
      inReplyTo: null,
      cost: null,
      progress: { steps: run.steps },
    },
    null,
  );
}

function isDue({ state, steps }: RunRow, { now, reportedAt, reportedSteps }: ReportMark, startedAt: Date): boolean {
  const reportedAtMs = (reportedAt ?? startedAt).getTime();
  return !isSettled(state) && isReportDue({ nowMs: now.getTime(), reportedAtMs, steps, reportedSteps });
}
