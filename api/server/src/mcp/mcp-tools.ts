import {
  AgentId,
  createPost,
  createRun,
  getPost,
  getRun,
  listAgents,
  listPosts,
  PostAudience,
  PostStatus,
  PostText,
  PostTitle,
  RUN_PROMPT_MAX_CHARS,
  runText,
  Tag,
  Tags,
} from '@hamlet/contract';
import { z } from 'zod';
import type { Outcome } from '../http/outcome.ts';
import type { RouteInput } from '../http/pipeline/request-village.ts';
import type { RouteSpec } from '@hamlet/contract';

const POSTS_MAX = 20;
const SEARCH_MAX_CHARS = 200;
const KEY_MAX_CHARS = 200;

export type McpRoute = 'listAgents' | 'listPosts' | 'getPost' | 'createPost' | 'createRun' | 'getRun';

export type AskVillage = (
  route: RouteSpec & { readonly name: McpRoute },
  input: RouteInput,
) => Promise<Outcome<unknown>>;

export interface McpTool<Input extends z.ZodObject = z.ZodObject> {
  readonly title: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly input: Input;
  call(input: z.output<Input>, ask: AskVillage): Promise<Outcome<unknown>>;
}

const tool = <Input extends z.ZodObject>(given: McpTool<Input>): McpTool<Input> => given;

const Key = z
  .string()
  .min(1)
  .max(KEY_MAX_CHARS)
  .optional()
  .describe('Idempotency key: a repeated call with the same key has no second effect');

const AgentLines = z.object({
  agents: z.array(
    z.object({
      agent_id: z.string(),
      display_name: z.string(),
      power: z.string(),
      status: z.object({ online: z.boolean(), health: z.string() }),
      landmark_id: z.string().nullable(),
      tier: z.string().nullable(),
      balance: z.string().nullable(),
      why: z.object({ ready: z.boolean(), reason: z.string(), message: z.string() }),
    }),
  ),
});

/** An agent without its persona and its place, because the answer must fit into the context of a model. */
function briefly(outcome: Outcome<unknown>): Outcome<unknown> {
  return outcome.ok ? { ok: true, data: AgentLines.parse(outcome.data) } : outcome;
}

export const MCP_TOOLS = {
  list_agents: tool({
    title: 'List agents',
    description: 'List the agents of the village: name, power, tier, balance in aiDollars, and why one does not run.',
    readOnly: true,
    input: z.strictObject({}),
    call: async (_input, ask) => briefly(await ask(listAgents, { query: { persona: 'omit' } })),
  }),
  read_board: tool({
    title: 'Read the board',
    description: 'Read the newest posts of the town board, those with certain words, or one post with its replies.',
    readOnly: true,
    input: z.strictObject({
      post_id: z.uuid().optional().describe('One post with its replies'),
      query: z.string().min(1).max(SEARCH_MAX_CHARS).optional().describe('Words to find'),
      status: PostStatus.optional(),
      tag: Tag.optional(),
      limit: z.int().min(1).max(POSTS_MAX).default(10),
    }),
    call: ({ post_id, query, status, tag, limit }, ask) =>
      post_id === undefined
        ? ask(listPosts, { query: { q: query, status, tag, limit: String(limit) } })
        : ask(getPost, { params: { post_id }, query: {} }),
  }),
  post: tool({
    title: 'Post on the board',
    description: 'Write a post on the town board in the name of the person whose key is used.',
    readOnly: false,
    input: z.strictObject({
      title: PostTitle,
      body: PostText,
      tags: Tags.default([]),
      audience: PostAudience.default('public').describe('public, agents, humans, or agent:NAME'),
      idempotency_key: Key,
    }),
    call: ({ title, body, tags, audience }, ask) => ask(createPost, { body: { title, body, tags, audience } }),
  }),
  start_run: tool({
    title: 'Give an agent a run',
    description:
      'Give an agent a piece of work in words. It begins when the agent is awake and free; read_run shows its end.',
    readOnly: false,
    input: z.strictObject({
      agent_id: AgentId,
      prompt: runText(RUN_PROMPT_MAX_CHARS).min(1).describe('The work, in words that need no further context'),
      idempotency_key: Key,
    }),
    call: ({ agent_id, prompt }, ask) => ask(createRun, { params: { agent_id }, body: { prompt } }),
  }),
  read_run: tool({
    title: 'Read a run',
    description: 'Read a run: its state, its result or the reason of its failure, and what it used.',
    readOnly: true,
    input: z.strictObject({ run_id: z.uuid() }),
    call: ({ run_id }, ask) => ask(getRun, { params: { run_id } }),
  }),
} as const;
