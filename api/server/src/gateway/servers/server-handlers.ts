import { plain, type Handlers } from '../../http/handler.ts';
import { accepted } from '../../http/outcome.ts';
import type { Village } from '../../village.ts';

export function serverHandlers({ gateway }: Village) {
  return {
    listModelServers: plain(() => Promise.resolve(accepted({ servers: [...gateway.servers.list()] }))),
  } satisfies Partial<Handlers>;
}
