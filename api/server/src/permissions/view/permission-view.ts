import { needsAdmin, type Permission } from '@hamlet/contract';
import type { PermissionRow } from '@hamlet/store';

export function permissionView(row: PermissionRow, sessionId: string | null): Permission {
  const { answeredByRole: role, answeredById: id, answeredByName: name } = row;
  return {
    permission_id: row.permissionId,
    run_id: row.runId,
    agent_id: row.agentId,
    session_id: sessionId,
    request: row.request,
    call_id: row.callId,
    tool: row.tool,
    arguments: row.arguments,
    why: row.why,
    reason: row.reason,
    question: row.question,
    state: row.state,
    policy_version: row.policyVersion,
    asked_at: row.askedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    answered_at: row.answeredAt?.toISOString() ?? null,
    answered_by: role === null || id === null || name === null ? null : { role, id, name },
    answer: row.answer,
    reply: row.reply,
    rule_id: row.ruleId,
    taint: row.taint === null ? null : [...row.taint],
    allowed_by: needsAdmin(row.tool) ? 'admin' : 'approver',
  };
}
