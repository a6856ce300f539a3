import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { ObjectName } from '../kinds/text.ts';
import { PolicyProposal, PolicyTrial } from '../values/policy-trial.ts';
import { AgentId } from '../values/scalars.ts';

const ofPolicy = { tag: 'runs', permission: 'policy:try', audiences: ['people'] } as const;

export const getPolicy = defineRoute('GET /policy', {
  ...ofPolicy,
  name: 'getPolicy',
  summary: 'Rules in force, in the form in which a trial takes proposed ones: of the village, or of one Agent or tier',
  query: z.strictObject({
    agent_id: AgentId.optional().describe('The rules of this Agent alone'),
    tier: ObjectName.optional().describe('The rules of this tier alone; not together with agent_id'),
  }),
  answer: json(z.strictObject({ in_force: PolicyProposal })),
  reasons: ['no_such_agent', 'no_such_entitlement'],
});

export const tryPolicy = defineRoute('POST /policy/try', {
  ...ofPolicy,
  idempotency: 'natural',
  name: 'tryPolicy',
  summary:
    'Try proposed rules on the calls of the last seven days: which verdicts would have been others. It changes nothing',
  body: PolicyProposal,
  answer: json(PolicyTrial),
  reasons: ['policy_wrong', 'no_such_agent', 'no_such_entitlement', 'trial_under_way'],
});
