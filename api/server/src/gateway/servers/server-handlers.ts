import { ASKING_AGENTS_MAX } from '@hamlet/contract';
import { readAskingAgents } from '@hamlet/store';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted } from '../../http/outcome.ts';
import type { Village } from '../../village.ts';
import { requestLife } from '../admit-request.ts';

export function serverHandlers({ db, gateway }: Village) {
  return {
    listModelServers: plain(async () => {
      const rows = await readAskingAgents(db, requestLife(gateway.answerTimes), ASKING_AGENTS_MAX);
      const asking = rows.map(({ provider, agentId, requests }) => ({ provider, agent_id: agentId, requests }));
      return accepted({ servers: [...gateway.servers.list()], asking });
    }),
  } satisfies Partial<Handlers>;
}
