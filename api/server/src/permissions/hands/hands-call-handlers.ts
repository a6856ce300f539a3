import type { CallOutcome, CallReport, HandsCall } from '@hamlet/contract';
import { readHandsCalls, type HandsCallRow } from '@hamlet/store';
import { z } from 'zod';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import { pageCursor } from '../../http/page-cursor.ts';
import { beginCall, type BeginPorts } from './begin-call.ts';
import { endCall } from './end-call.ts';

const cursor = pageCursor(z.uuid());

export function handsCallHandlers(ports: BeginPorts) {
  return {
    beginCall: beginCall(ports),
    endCall: endCall(ports),
    listCalls: plain(async ({ actor, query }) => {
      const { agent_id: agentId, run_id: runId, tool, state, q: words } = query;
      const question = JSON.stringify(['calls', agentId, runId, tool, state, words]);
      const before = cursor.read(query.cursor, question);
      if (before === undefined) return refused('cursor_invalid');
      const reader = { role: actor.role, id: actor.id };
      const filter = { agentId, runId, tool, state, words, reader };
      const { calls, next } = await readHandsCalls(ports.db, filter, { before, limit: query.limit });
      return accepted({ calls: calls.map(callView), next_cursor: next === null ? null : cursor.write(question, next) });
    }),
  } satisfies Partial<Handlers>;
}

function callView(row: HandsCallRow): HandsCall {
  const outcome = row.outcome as CallOutcome | null;
  return {
    run_id: row.runId,
    call_id: row.callId,
    agent_id: row.agentId,
    tool: row.tool,
    state: row.state,
    begun_at: row.begunAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    outcome:
      outcome === null ? null : { kind: outcome.kind, ...(outcome.code === undefined ? {} : { code: outcome.code }) },
    arguments: row.arguments,
    report: row.report as CallReport | null,
  };
}
