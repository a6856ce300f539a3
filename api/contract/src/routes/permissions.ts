import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import {
  AllowRule,
  AllowScope,
  ARGUMENTS_MAX_CHARS,
  CallId,
  CallOutcome,
  Permission,
  PermissionAnswer,
  PermissionReason,
  PermissionReply,
  PermissionState,
  PermissionWhy,
  RequestId,
} from '../values/permission.ts';
import { LEASED, working } from './runs/runs.ts';
import { AgentId, NEXT_CURSOR, paging, plainText } from '../values/scalars.ts';

const Tool = z.string().min(1).max(64).describe('Name of the tool, as the model wrote it');
const Arguments = plainText(ARGUMENTS_MAX_CHARS).describe('Arguments as JSON');
const PermissionAnswerBody = json(z.strictObject({ permission: Permission }));

export const askPermission = defineRoute('askPermission POST /runs/{run_id}/permissions', {
  ...working,
  summary: 'Ask people for a permission for one call of a run; the same request returns the same permission',
  body: z.strictObject({
    ...LEASED,
    call_id: CallId,
    request: RequestId,
    tool: Tool,
    arguments: Arguments,
    why: PermissionWhy,
  }),
  answer: PermissionAnswerBody,
  reasons: [...working.reasons, 'policy_denied', 'arguments_differ', 'too_many_permissions'],
});

export const listPermissions = defineRoute('listPermissions GET /permissions', {
  tag: 'runs',
  permission: 'runs:read',
  summary: 'Permissions that agents asked for, newest first; a member sees those of their own runs and sessions',
  query: z.strictObject({
    permission_id: z.uuid().optional(),
    agent_id: AgentId.optional(),
    run_id: z.uuid().optional(),
    session_id: z.uuid().optional(),
    state: PermissionState.optional(),
    ...paging(),
  }),
  answer: json(z.strictObject({ permissions: z.array(Permission), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});

export const answerPermission = defineRoute('answerPermission POST /permissions/{permission_id}/answer', {
  tag: 'runs',
  permission: 'permission:answer',
  idempotency: 'natural',
  summary: "Answer an agent's request for a permission; members only for their own runs and within their allowance",
  body: z.strictObject({
    answer: PermissionAnswer,
    reply: PermissionReply.optional().describe('Reply to the agent, or the answer to its question'),
    reason: PermissionReason.optional().describe('Reason for the audit; also shown to the agent if there is no reply'),
    always: AllowScope.optional().describe(
      'With answer allow: also for later calls of this tool. conversation: for your own messages in this session; agent: only an admin',
    ),
  }),
  answer: json(
    z.strictObject({
      permission: Permission,
      rule: AllowRule.nullable().default(null).describe('Rule that the answer created'),
    }),
  ),
  reasons: [
    'no_such_permission',
    'permission_not_yours',
    'repository_not_allowed',
    'permission_answered',
    'permission_expired',
    'permission_stale',
    'allowance_exceeded',
  ],
});

export const performCall = defineRoute('performCall POST /runs/{run_id}/calls/{call_id}', {
  ...working,
  summary:
    'Perform a call of a run: the API judges it, uses up its permission and executes it once; a retry returns the first outcome',
  body: z.strictObject({ ...LEASED, tool: Tool, arguments: Arguments }),
  answer: json(
    z.strictObject({
      outcome: CallOutcome,
      replayed: z.boolean().describe('True if an earlier request performed the call'),
    }),
  ),
  reasons: [...working.reasons, 'permission_needed', 'permission_pending', 'arguments_differ', 'call_diverged'],
});

const ruleTag = { tag: 'runs', permission: 'permission:answer' } as const;

export const listAllowRules = defineRoute('listAllowRules GET /allow-rules', {
  ...ruleTag,
  summary:
    'Tools that people have allowed permanently, newest first; a member sees rules for all runs and for their own sessions',
  query: z.strictObject({
    agent_id: AgentId.optional(),
    session_id: z.uuid().optional(),
    revoked: z.enum(['true', 'false']).default('false').describe('True to include revoked rules'),
    ...paging(),
  }),
  answer: json(z.strictObject({ rules: z.array(AllowRule), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});

export const revokeAllowRule = defineRoute('revokeAllowRule DELETE /allow-rules/{rule_id}', {
  ...ruleTag,
  summary: 'Revoke an allow rule: later calls of the tool ask a person again',
  answer: json(z.strictObject({ rule: AllowRule })),
  reasons: ['no_such_allow_rule', 'allow_rule_not_yours'],
});
