import { readPermissions, readHandsCalls, type HandsCallRow } from '@hamlet/store';
import { z } from 'zod';
import type { CallReport, HandsCall } from '@hamlet/contract';
import { plain, type Handlers } from '../http/handler.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { answerPermission } from './answer-permission.ts';
import { askPermission } from './ask-permission.ts';
import { outcomeView } from './call-outcomes.ts';
import { performCall, type PerformPorts } from './perform-call.ts';
import { allowRuleHandlers } from './rules/allow-rule-handlers.ts';
import { beginCall } from './hands/begin-call.ts';
import { permissionView } from './view/permission-view.ts';
import { endCall } from './hands/end-call.ts';
import type { Village } from '../village.ts';

const cursor = pageCursor(z.uuid());

function handsCallHandlers(ports: Village) {
  return {
    beginCall: beginCall(ports),
    endCall: endCall(ports),
    listCalls: plain(async ({ actor, query }) => {
      const { agent_id: agentId, run_id: runId, tool, state, q: words } = query;
      const reader = { role: actor.role, id: actor.id };
      const filter = { agentId, runId, tool, state, words, reader };
      return paged(cursor, { ...query, list: 'calls' }, async (page) => {
        const { calls, next } = await readHandsCalls(ports.db, filter, page);
        return { calls: calls.map(callView), next };
      });
    }),
  } satisfies Partial<Handlers>;
}

function callView(row: HandsCallRow): HandsCall {
  return {
    run_id: row.runId,
    call_id: row.callId,
    agent_id: row.agentId,
    tool: row.tool,
    state: row.state,
    begun_at: row.begunAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    outcome: outcomeView(row.outcome),
    arguments: row.arguments,
    report: row.report as CallReport | null,
  };
}

export function permissionHandlers(ports: PerformPorts) {
  const { db } = ports;
  return {
    askPermission: askPermission(ports),
    answerPermission: answerPermission(ports),
    performCall: performCall(ports),
    ...allowRuleHandlers(ports),
    ...handsCallHandlers(ports),
    listPermissions: plain(async ({ actor, query }) => {
      const { permission_id: permissionId, agent_id: agentId, run_id: runId, session_id: sessionId, state } = query;
      const person = actor.role === 'admin' ? null : { role: actor.role, id: actor.id };
      const filter = { permissionId, agentId, runId, sessionId, state, person };
      return paged(cursor, { ...query, list: 'permissions' }, async (page) => {
        const { permissions, next } = await readPermissions(db, filter, page);
        return { permissions: permissions.map(({ sessionId: session, ...row }) => permissionView(row, session)), next };
      });
    }),
  } satisfies Partial<Handlers>;
}
