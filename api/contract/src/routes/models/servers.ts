import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AgentId, Time } from '../../values/scalars.ts';
import { manageModels } from './providers.ts';

/** More servers than these are not read. */
export const MODEL_SERVERS_MAX = 64;

const count = z.int().min(0).nullable();
const rate = z.number().min(0).nullable();

const ModelServer = z.strictObject({
  provider: z.string().describe('The provider whose requests it answers'),
  address: z.string().describe('Where the API reads its metrics'),
  state: z
    .enum(['serves', 'unreachable', 'no_metrics'])
    .describe('unreachable: it is off, or still loads its model. no_metrics: it answers, but without metrics of vLLM'),
  read_at: Time.describe(
    'Time of the newest attempt; a server that fails is asked less often, at least every five minutes',
  ),
  running: count.describe('Requests that it works on'),
  waiting: count.describe('Requests that wait at it'),
  kv_cache_used: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('Part of its KV cache in use; at 1, it delays or repeats requests'),
  tokens_per_second: rate.describe('Tokens that it wrote since the reading before; null before the second one'),
  prompt_tokens_per_second: rate.describe('Tokens of prompts that it read since the reading before'),
});
export type ModelServer = z.infer<typeof ModelServer>;

/** Pairs beyond these are left out. */
export const ASKING_AGENTS_MAX = 256;

const AskingAgent = z.strictObject({
  provider: z.string(),
  agent_id: AgentId,
  requests: z.int().min(1).describe('Its requests that run or wait, at the provider or before it'),
});
export type AskingAgent = z.infer<typeof AskingAgent>;

export const listModelServers = defineRoute('listModelServers GET /models/servers', {
  ...manageModels,
  summary:
    'List the vLLM servers of the village by provider, with their queues, KV caches and tokens a second, and the agents whose requests run or wait. One replica of the API reads the metrics every ten seconds',
  answer: json(
    z.strictObject({
      servers: z.array(ModelServer).max(MODEL_SERVERS_MAX),
      asking: z
        .array(AskingAgent)
        .max(ASKING_AGENTS_MAX)
        .describe('The agents with requests under way, by provider, those with most requests first'),
    }),
  ),
});
