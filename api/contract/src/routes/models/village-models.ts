import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AgentId, Time } from '../../values/scalars.ts';
import { AgentConfig } from '../resident.ts';

export const VillageModel = z.strictObject({
  name: z.string(),
  provider: z.string().nullable().describe('The provider that is tried first; null if none serves it'),
  kind: z.string().nullable(),
  scripted: z.boolean().describe('True if the scripted mind composes its answers, without a language model'),
  available: z.boolean().describe('False if no provider serves it, or its key is missing'),
  context_tokens: z.int().positive().nullable(),
  tiers: z.array(z.string()).describe('The tiers that include it, by rank'),
  last_success: z.strictObject({ at: Time }).nullable().default(null).describe('Newest answer at this provider'),
  last_failure: z
    .strictObject({
      at: Time,
      code: z.string().describe('Class of the failure, such as auth, unreachable, overloaded'),
      message: z.string().nullable().describe("The provider's own words, only for those who manage models"),
      fix: z.string().describe('Cause, and the person who can mend it'),
    })
    .nullable()
    .default(null)
    .describe('Newest failure at this provider; older than last_success if the model works again'),
});
export type VillageModel = z.infer<typeof VillageModel>;

export const showModels = defineRoute('showModels GET /models', {
  summary:
    'Show the models of the village and of one agent; scripted_only is true if the village has no language model',
  tag: 'models',
  placement: 'versioned',
  permission: 'world:read',
  query: z.strictObject({ agent_id: AgentId.optional() }),
  answer: json(
    z.strictObject({
      scripted_only: z.boolean(),
      models: z.array(VillageModel),
      agent: z
        .strictObject({
          agent_id: AgentId,
          allowed: z.array(z.string()).describe('Models of its tier and its purchases that a provider serves'),
          model: AgentConfig.shape.model,
        })
        .nullable(),
    }),
  ),
  reasons: ['no_such_agent'],
});
