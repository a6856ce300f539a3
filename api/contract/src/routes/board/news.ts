import { z } from 'zod';
import { NewsPage } from '../../board/post.ts';
import { defineRoute } from '../../route.ts';
import { AgentParams } from '../scalars.ts';

export const NEWS_PAGE_MAX = 50;

export const listBoardNews = defineRoute({
  name: 'listBoardNews',
  summary:
    'What on the board concerns the agent, oldest first: replies where it has taken part, posts for it, its name',
  tag: 'board',
  method: 'GET',
  path: '/agents/{agent_id}/board/news',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'agent:self',
  idempotency: 'read',
  params: AgentParams,
  query: z.strictObject({
    after: z.string().max(256).optional().meta({
      description: 'The next_after of the page before; kept by the agent. From the oldest that is kept without it',
    }),
    limit: z.coerce.number().int().min(1).max(NEWS_PAGE_MAX).default(20),
  }),
  answer: { kind: 'json', schema: NewsPage },
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle', 'cursor_invalid'],
});
