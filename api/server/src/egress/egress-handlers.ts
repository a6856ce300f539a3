import { cutPage, searchEgressAttempts } from '@hamlet/store';
import { z } from 'zod';
import { plain, type Handlers } from '../http/handler.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import type { Village } from '../village.ts';

const pages = pageCursor(z.strictObject({ at: z.iso.datetime(), id: z.uuid() }));

export function egressHandlers({ db }: Village): Pick<Handlers, 'listEgress'> {
  return {
    listEgress: plain(({ query }) =>
      paged(pages, { ...query, list: 'egress' }, async ({ before, limit }) => {
        const { agent_id: agentId = null, run_id: runId = null, host = null, refused: only } = query;
        const isRefused = only === undefined ? null : only === 'true';
        const found = await searchEgressAttempts(db, { agentId, runId, host, isRefused, before, limit: limit + 1 });
        const { rows, next } = cutPage(found, limit, ({ keptAt, attempt }) => ({ at: keptAt, id: attempt.id }));
        return { attempts: rows.map(({ attempt }) => attempt), next };
      }),
    ),
  };
}
