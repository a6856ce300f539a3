import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { TierTools, ToolPolicy } from '../../kinds/agent-mind.ts';
import { McpServers } from '../../kinds/agent.ts';
import { ObjectName } from '../../kinds/text.ts';
import { CallId, Policy, Verdict, VillageRules } from '../../values/permission.ts';
import { AgentId, Time } from '../../values/scalars.ts';

/** Limits of a trial: the number of calls that it judges, newest first, and its time in milliseconds. */
export const TRIAL_CALLS_MAX = 50_000;
export const TRIAL_MS_MAX = 10_000;
export const TRIAL_EXAMPLES_MAX = 100;
export const TRIAL_ROWS_MAX = 100;

/** Proposed rules of the village, one tier or one Agent. The other layers stay in force. */
export const PolicyProposal = z.discriminatedUnion('of', [
  z.strictObject({ of: z.literal('village'), rules: VillageRules }),
  z.strictObject({ of: z.literal('tier'), name: ObjectName, tools: TierTools.describe('As spec.tools of the tier') }),
  z.strictObject({
    of: z.literal('agent'),
    agent_id: AgentId,
    tools: ToolPolicy.describe('As spec.tools of the Agent'),
    mcp_servers: McpServers.optional().describe('Like spec.mcpServers of the Agent; by default the present ones'),
  }),
]);
export type PolicyProposal = z.infer<typeof PolicyProposal>;

const Count = z.int().min(0);
const Change = { from: Verdict, to: Verdict, calls: Count };
const Named = z.strictObject({ name: z.string(), ...Change });

export const TrialVerdict = z.strictObject({
  verdict: Verdict,
  reason: z.string(),
  rule: Policy.shape.rules.element
    .nullable()
    .describe('The deciding rule with its layer; null if no rule decided, for example in a tainted run'),
});
export type TrialVerdict = z.infer<typeof TrialVerdict>;

export const TrialAnswer = z.enum(['allowed', 'denied', 'expired']);

export const TrialExample = z.strictObject({
  run_id: z.uuid(),
  call_id: CallId,
  agent_id: AgentId,
  at: Time,
  tool: z.string(),
  words: z
    .string()
    .nullable()
    .describe(
      'First words of a command, without secrets of known forms; null for other tools, and if you may not read the run',
    ),
  before: TrialVerdict.describe('By the rules in force'),
  after: TrialVerdict.describe('By the proposed rules'),
  answer: TrialAnswer.nullable().describe(
    'Answer of people to the request for this call; null without a request or an answer',
  ),
});
export type TrialExample = z.infer<typeof TrialExample>;

/** How proposed rules would have judged the calls of the last seven days differently. A trial changes nothing. */
export const PolicyTrial = z.strictObject({
  since: Time,
  until: Time,
  looked_at: Count.describe('Number of calls that the trial read, newest first'),
  judged: Count.describe('Number of these that both policies judged'),
  changed: Count.describe('Number of judged calls with a different verdict'),
  cut: z.enum(['calls', 'time']).nullable().describe('Limit that ended the trial early; null if it read all calls'),
  not_judged: z.strictObject({
    older: Count.describe('Calls of the week that the trial did not reach; counted up to 200,000'),
    without_facts: Count.describe('Calls from before the API stored their facts; counted up to 200,000'),
    run_gone: Count.describe('Calls whose run and arguments are no longer kept'),
    agent_gone: Count.describe('Calls of agents that no longer exist'),
  }),
  changes: z.array(
    z.strictObject({
      ...Change,
      answers: z
        .strictObject({ allowed: Count, denied: Count, expired: Count })
        .describe('Answers of people to the requests for these calls'),
    }),
  ),
  by_class: z.array(Named).describe('By class; a shell command counts for each class that it needs'),
  by_agent: z.array(Named).max(TRIAL_ROWS_MAX).describe('By agent, the most changes first'),
  examples: z
    .array(TrialExample)
    .max(TRIAL_EXAMPLES_MAX)
    .describe('Newest calls with a different verdict, some of each kind'),
  took_ms: Count,
});
export type PolicyTrial = z.infer<typeof PolicyTrial>;

const RulesVersion = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 of the rules in force');

const InForce = z.strictObject({
  in_force: PolicyProposal,
  village: z
    .strictObject({
      version: RulesVersion,
      source: z.enum(['chart', 'village']).describe('village: an admin has stored them. chart: api.toolRules'),
      editable: z.boolean().describe('False if the chart keeps admins from changing them (api.editableRules)'),
    })
    .nullable()
    .describe('Null for the rules of a tier or an Agent'),
});
export type RulesInForce = z.infer<typeof InForce>;

const ofPolicy = { tag: 'runs', permission: 'policy:try', audiences: ['people'] } as const;

export const getPolicy = defineRoute('getPolicy GET /policy', {
  ...ofPolicy,
  summary: 'Rules in force of the village, one Agent or one tier, in the form that a trial accepts',
  query: z.strictObject({
    agent_id: AgentId.optional().describe('The rules of this Agent alone'),
    tier: ObjectName.optional().describe('The rules of this tier alone; not together with agent_id'),
  }),
  answer: json(InForce),
  reasons: ['no_such_agent', 'no_such_entitlement'],
});

export const tryPolicy = defineRoute('tryPolicy POST /policy/try', {
  ...ofPolicy,
  idempotency: 'natural',
  summary:
    'Try proposed rules on the calls of the last seven days: which verdicts would have been different. Changes nothing',
  body: PolicyProposal,
  answer: json(PolicyTrial),
  reasons: ['policy_wrong', 'no_such_agent', 'no_such_entitlement', 'trial_under_way'],
});

export const setVillageRules = defineRoute('setVillageRules PUT /policy', {
  ...ofPolicy,
  permission: 'village:settings',
  idempotency: 'natural',
  summary:
    'Replace the rules of the village at once for all replicas; null returns to those of the chart, whose denials always stay',
  body: z.strictObject({
    rules: VillageRules.nullable(),
    version: RulesVersion.describe('Version of the rules that these replace, from GET /policy'),
  }),
  answer: json(InForce),
  reasons: ['policy_wrong', 'rules_locked', 'rules_changed'],
});
