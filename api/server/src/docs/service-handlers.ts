import { docsPage } from './docs-page.ts';
import { openApiDocument } from './openapi.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Readiness } from '../service/readiness.ts';

export function serviceHandlers({ readiness }: { readonly readiness: Readiness }) {
  return {
    getLivez: plain(async () => accepted('ok\n')),
    getReadyz: plain(async ({ query }) => {
      const { ready, lines } = await readiness();
      if (!ready) return refused('unavailable', lines.join('; '));
      return accepted(query.verbose === undefined ? 'ok\n' : `${lines.join('\n')}\n`);
    }),
    getOpenApi: plain(async () => accepted(openApiDocument())),
    getDocs: plain(async () => accepted(docsPage())),
  } satisfies Partial<Handlers>;
}
