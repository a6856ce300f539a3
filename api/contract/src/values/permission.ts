import { z } from 'zod';
import type { AgentSpec } from '../kinds/agent.ts';
import { ToolClass } from '../kinds/tool-classes.ts';
import { AgentId, plainText, Time } from './scalars.ts';
import { TaintMark } from './taint.ts';

export const POLICY_RULES_MAX = 64;
/**
 * In total: rules of village, tier and Agent, and one rule each for the Agent's list of tools, for each delegating run and for a safe mode.
 */
export const RESOLVED_RULES_MAX = 3 * POLICY_RULES_MAX + 10;
/** Maximum number of tools and classes in one rule. */
export const RULE_TOOLS_MAX = 64;
const RULE_EXAMPLES_MAX = 32;
/** The same as in `spec.tools.rules` of an Agent. */
export const RULE_REASON_MAX_CHARS = 512;
export const ARGUMENTS_MAX_CHARS = 65_536;
/** Seconds that people have to decide on a write that waits in the broker. */
export const EGRESS_ANSWER_S = 900;
export const REPLY_MAX_CHARS = 8_000;
const REASON_MAX_CHARS = 500;

/** From lenient to strict. The strictest verdict of all matching rules counts. */
export const VERDICTS = ['allow', 'ask', 'deny'] as const;
export const Verdict = z.enum(VERDICTS);
export type Verdict = z.infer<typeof Verdict>;

/** `run`: the agent works on a run. `turn`: it acts on its own in its village loop. */
export const CallOccasion = z.enum(['run', 'turn']);
export type CallOccasion = z.infer<typeof CallOccasion>;

export const ToolName = z
  .string()
  .max(64)
  .regex(/^[a-z][a-zA-Z0-9_.:/-]*$/, 'write the name of a tool or a class, for example post_to_board or spend');

const Example = z.strictObject({ tool: ToolName, when: CallOccasion.default('run') });

const EXAMPLE_COMMAND_MAX_CHARS = 2_000;
/** A call that a rule must or must not match. A shell command is matched by the classes that a parser finds in it. */
export const RuleExample = Example.extend({
  command: z.string().min(1).max(EXAMPLE_COMMAND_MAX_CHARS).optional().describe('Command of a call of shell'),
}).refine(({ tool, command }) => command === undefined || tool === 'shell', {
  message: 'only the tool shell takes a command: write tool: shell, or leave command out',
});
const Examples = z.array(RuleExample).max(RULE_EXAMPLES_MAX).optional();

/** One rule of a policy, as the village's configuration and `spec.tools.rules` of an Agent write it. */
export const PolicyRule = z.strictObject({
  tools: z.array(ToolName).min(1).max(RULE_TOOLS_MAX).describe('Names of tools, or classes of tools'),
  when: CallOccasion.optional().describe('Only in a run or only in a turn; by default in both'),
  verdict: Verdict,
  reason: plainText(RULE_REASON_MAX_CHARS).optional().describe('Reason for people and for the model'),
});
export type PolicyRule = z.infer<typeof PolicyRule>;

/** Allows calls of a tainted run that would otherwise need a person. It needs a reason, because it removes a protection. */
const Tainted = z
  .literal('allow')
  .describe('Also in runs that text from outside has reached; needs verdict allow and a reason');

/** The API checks the examples when it loads the rules, and does not start if one fails. */
export const VillageRule = PolicyRule.extend({
  tainted: Tainted.optional(),
  matches: z.array(Example).max(RULE_EXAMPLES_MAX).optional().describe('Calls that the rule must match'),
  examples: z
    .strictObject({ match: Examples, not: Examples })
    .optional()
    .describe('Calls that the rule must match, and calls that it must not match'),
  misses: z.array(Example).max(RULE_EXAMPLES_MAX).optional().describe('Calls that the rule must not match'),
}).refine(({ tainted, verdict, reason }) => tainted === undefined || (verdict === 'allow' && reason !== undefined), {
  message: 'tainted needs verdict allow and a reason: write both, or leave tainted out',
});
export type VillageRule = z.infer<typeof VillageRule>;

export const VillageRules = z.array(VillageRule).min(1).max(POLICY_RULES_MAX);
export type VillageRules = z.infer<typeof VillageRules>;

/** `spec.tools` of an Agent, which can only narrow the rules of the village. */
export type AgentTools = NonNullable<AgentSpec['tools']>;

export const RuleOrigin = z.enum(['village', 'tier', 'agent', 'parent', 'safe_mode']);

/** The rules in force for one agent. A permission is valid only under the policy version of its request. */
export const Policy = z.strictObject({
  version: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of the rules'),
  rules: z.array(PolicyRule.extend({ tainted: Tainted.optional(), from: RuleOrigin })).max(RESOLVED_RULES_MAX),
  mcp: z
    .record(z.string(), ToolClass.nullable())
    .optional()
    .describe("The agent's MCP servers with the class of their tools; null if a person decides"),
});
export type Policy = z.infer<typeof Policy>;

export const PERMISSION_STATES = ['pending', 'allowed', 'denied', 'expired', 'consumed', 'withdrawn'] as const;
export const PermissionState = z.enum(PERMISSION_STATES);
export type PermissionState = z.infer<typeof PermissionState>;

/** Why a person is asked. `policy`: a rule requires it. `unknown`: it is unknown whether a call happened. `question`: the agent asks. */
export const PermissionWhy = z.enum(['policy', 'unknown', 'question']);
export type PermissionWhy = z.infer<typeof PermissionWhy>;

/** `happened` and `repeat` are for calls whose outcome is unknown. */
export const PermissionAnswer = z.enum(['allow', 'deny', 'happened', 'repeat']);
export type PermissionAnswer = z.infer<typeof PermissionAnswer>;

/** A call id of the engine, unique in its run. */
export const CallId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w.:-]+$/, 'write the id of a call of this run');

/** A request id of the engine: the n-th request for a call of a run. */
export const RequestId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w./:-]+$/, 'write the id of a request of this run');

/** An agent's request to a person to allow one call. It is bound to run, call, arguments and policy version, and usable once. */
export const Permission = z.strictObject({
  permission_id: z.uuid(),
  run_id: z.uuid(),
  agent_id: AgentId,
  session_id: z.uuid().nullable(),
  request: z.string().describe('Id of the request, as the agent gave it'),
  call_id: CallId,
  tool: z.string(),
  arguments: z.string().max(ARGUMENTS_MAX_CHARS).describe('Arguments of the call as canonical JSON; show them as text'),
  why: PermissionWhy,
  reason: z.string().describe('Reason of the rule that asks'),
  question: z.string().nullable().describe('Question of the agent, if it asks one'),
  state: PermissionState,
  policy_version: z.string(),
  asked_at: Time,
  expires_at: Time,
  answered_at: Time.nullable(),
  answered_by: z.strictObject({ role: z.string(), id: z.string(), name: z.string() }).nullable(),
  answer: PermissionAnswer.nullable(),
  reply: z.string().max(REPLY_MAX_CHARS).nullable().describe('Reply of the person to the agent'),
  rule_id: z.uuid().nullable().default(null).describe('The allow rule that answered, if one did'),
  taint: z
    .array(TaintMark)
    .nullable()
    .default(null)
    .describe('Sources of the text from outside that had reached the run at its request; null if none'),
  allowed_by: z
    .enum(['approver', 'admin'])
    .default('approver')
    .describe('People who may allow it: approvers of the run, or only admins'),
});
export type Permission = z.infer<typeof Permission>;

/** `conversation`: for later messages of the same person in the same session. `agent`: for all later runs of the agent. */
export const AllowScope = z.enum(['conversation', 'agent']);
export type AllowScope = z.infer<typeof AllowScope>;

/** A person's rule that allows all later calls of one tool by an agent. It answers requests, but never overrides a denial. */
export const AllowRule = z.strictObject({
  rule_id: z.uuid(),
  agent_id: AgentId,
  tool: z.string(),
  allow_key: z
    .string()
    .nullable()
    .default(null)
    .describe('Shell commands that it covers; null for other tools, of which it covers all calls'),
  session_id: z.uuid().nullable().describe('Only for messages of its author in this session; null for all runs'),
  tainted: z.boolean().default(false).describe('True if it also covers tainted runs'),
  supply: z.boolean().default(false).describe('True if it covers a tainted run only while `supply` is its only source'),
  permission_id: z.uuid().describe('Permission whose answer created it'),
  created_by: z.strictObject({ role: z.string(), id: z.string(), name: z.string() }),
  created_at: Time,
  used: z.int().min(0).describe('Number of requests answered by it'),
  last_used_at: Time.nullable(),
  revoked_at: Time.nullable(),
  revoked_by: z.strictObject({ role: z.string(), id: z.string() }).nullable(),
});
export type AllowRule = z.infer<typeof AllowRule>;

export const PermissionReply = plainText(REPLY_MAX_CHARS);
export const PermissionReason = plainText(REASON_MAX_CHARS);

/** Outcome of a call that the API performed. A `denied` call had no effect. */
export const CallOutcome = z.strictObject({
  kind: z.enum(['ok', 'failed', 'denied']),
  code: z.string().max(64).optional().describe('Reason of a failure or denial, for programs'),
  text: z.string().describe('Result in words, for the model'),
  data: z.record(z.string(), z.unknown()).optional().describe('Ids and links of the result'),
});
export type CallOutcome = z.infer<typeof CallOutcome>;
