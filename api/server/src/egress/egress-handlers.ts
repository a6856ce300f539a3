import { cutPage, searchEgressAttempts, type Db } from '@hamlet/store';
import { z } from 'zod';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { pageCursor } from '../http/page-cursor.ts';

const pages = pageCursor(z.strictObject({ at: z.iso.datetime(), id: z.uuid() }));

export function egressHandlers({ db }: { readonly db: Db }): Pick<Handlers, 'listEgress'> {
  return {
    listEgress: plain(async ({ query: { cursor, limit, ...asked } }) => {
      const { agent_id: agentId = null, run_id: runId = null, host = null, refused: only } = asked;
      const key = JSON.stringify([agentId, runId, host, only ?? null]);
      const before = pages.read(cursor, key);
      if (before === undefined) return refused('cursor_invalid');
      const isRefused = only === undefined ? null : only === 'true';
      const found = await searchEgressAttempts(db, { agentId, runId, host, isRefused, before, limit: limit + 1 });
      const { rows, next } = cutPage(found, limit, ({ keptAt, attempt }) =>
        pages.write(key, { at: keptAt, id: attempt.id }),
      );
      return accepted({ attempts: rows.map(({ attempt }) => attempt), next_cursor: next });
    }),
  };
}
