import type { Run, RunEvent } from '@hamlet/contract';
import type { RunEventRow, RunRow } from '@hamlet/store';

function scheduleOf({ scheduleName: name, scheduleUid: uid, slot }: RunRow): Run['schedule'] {
  return name === null || uid === null || slot === null ? null : { name, uid, slot: slot.toISOString() };
}

export function runView(row: RunRow): Run {
  const { errorCode: code, errorMessage: message } = row;
  return {
    run_id: row.runId,
    agent_id: row.agentId,
    kind: row.kind,
    state: row.state,
    prompt: row.prompt,
    created_at: row.createdAt.toISOString(),
    created_by: { role: row.createdByRole, id: row.createdById },
    schedule: scheduleOf(row),
    attempt: row.attempt,
    cycle: row.cycle,
    started_at: row.startedAt?.toISOString() ?? null,
    ended_at: row.endedAt?.toISOString() ?? null,
    summary: row.summary,
    error: code === null || message === null ? null : { code, message },
    cancel_requested_at: row.cancelRequestedAt?.toISOString() ?? null,
  };
}

export function runEventView(runId: string, { number, event, at, detail }: RunEventRow): RunEvent {
  return {
    run_id: runId,
    number,
    event: event as RunEvent['event'],
    at: at.toISOString(),
    detail: detail as RunEvent['detail'],
  };
}
