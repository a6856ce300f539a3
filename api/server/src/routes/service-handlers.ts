import { docsPage } from '../docs/docs-page.ts';
import { openApiDocument } from '../docs/openapi.ts';
import type { Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Services } from './services.ts';

type Names = 'getLivez' | 'getReadyz' | 'getOpenApi' | 'getDocs';

/** What the service says of itself. */
export function serviceHandlers({ readiness }: Services): Pick<Handlers, Names> {
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
  };
}
