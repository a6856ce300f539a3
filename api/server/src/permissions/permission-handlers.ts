import { readPermissions } from '@hamlet/store';
import { z } from 'zod';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { pageCursor } from '../http/page-cursor.ts';
import { answerPermission, type AnswerPorts } from './answer-permission.ts';
import { askPermission } from './ask-permission.ts';
import { performCall, type PerformPorts } from './perform-call.ts';
import { allowRuleHandlers } from './rules/allow-rule-handlers.ts';
import { handsCallHandlers } from './hands/hands-call-handlers.ts';
import type { BeginPorts } from './hands/begin-call.ts';
import { permissionView } from './view/permission-view.ts';

export type PermissionPorts = AnswerPorts & PerformPorts & BeginPorts;

const cursor = pageCursor(z.uuid());

export function permissionHandlers(ports: PermissionPorts) {
  const { db } = ports;
  return {
    askPermission: askPermission(ports),
    answerPermission: answerPermission(ports),
    performCall: performCall(ports),
    ...allowRuleHandlers(ports),
    ...handsCallHandlers(ports),
    listPermissions: plain(async ({ actor, query }) => {
      const { agent_id: agentId, run_id: runId, session_id: sessionId, state } = query;
      const question = `permissions ${[agentId, runId, sessionId, state].map((part) => part ?? '').join('/')}`;
      const before = cursor.read(query.cursor, question);
      if (before === undefined) return refused('cursor_invalid');
      const person = actor.role === 'admin' ? null : { role: actor.role, id: actor.id };
      const filter = { agentId, runId, sessionId, state, person };
      const { permissions, next } = await readPermissions(db, filter, { before, limit: query.limit });
      return accepted({
        permissions: permissions.map(({ sessionId: session, ...row }) => permissionView(row, session)),
        next_cursor: next === null ? null : cursor.write(question, next),
      });
    }),
  } satisfies Partial<Handlers>;
}
