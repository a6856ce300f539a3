import { docsPage } from './docs-page.ts';
import { openApiDocument } from './openapi.ts';
import type { Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Readiness } from '../service/readiness.ts';

/** Handlers for liveness, readiness and documentation. */
export function serviceHandlers({ readiness }: { readonly readiness: Readiness }) {
  return {
    getLivez: { kind: 'plain', run: async () => accepted('ok\n') },
    getReadyz: {
      kind: 'plain',
      run: async ({ query }) => {
        const { ready, lines } = await readiness();
        if (!ready) return refused('unavailable', lines.join('; '));
        return accepted(query.verbose === undefined ? 'ok\n' : `${lines.join('\n')}\n`);
      },
    },
    getOpenApi: { kind: 'plain', run: async () => accepted(openApiDocument()) },
    getDocs: { kind: 'plain', run: async () => accepted(docsPage()) },
  } satisfies Partial<Handlers>;
}
