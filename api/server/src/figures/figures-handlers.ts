import { readShortages, type Db } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import type { FiguresStore } from './figures-store.ts';

interface Ports {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'get'>;
  readonly figures: Pick<FiguresStore, 'read' | 'hour' | 'hourOfNode'>;
}

const unavailable = refused('unavailable', 'Redis, which keeps the figures, does not answer: try again in a minute');

async function fromRedis<T>(read: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return accepted(await read());
  } catch {
    return unavailable;
  }
}

async function nodesView({ db, figures }: Pick<Ports, 'db' | 'figures'>) {
  const [{ nodes }, short] = await Promise.all([figures.read(), readShortages(db)]);
  const shortages = short.map(({ node, since, paused }) => ({ node, since: since.toISOString(), paused: [...paused] }));
  return { nodes, shortages };
}

export function figuresHandlers({ db, source, figures }: Ports) {
  return {
    listNodeFigures: plain(() => fromRedis(() => nodesView({ db, figures }))),
    getNodeFigures: plain(({ params: { node } }) =>
      fromRedis(async () => ({ node, points: await figures.hourOfNode(node) })),
    ),
    listAgentFigures: plain(() => fromRedis(async () => ({ agents: (await figures.read()).agents }))),
    getAgentFigures: plain(async ({ params: { agent_id: agentId } }) => {
      const record = source.get(agentId);
      if (record === null) return refused('no_such_agent');
      return fromRedis(async () => ({
        agent_id: agentId,
        // An agent that was deleted may have had the same id within the last hour.
        points: (await figures.hour(agentId)).filter(({ at }) => at >= record.createdAt),
      }));
    }),
  } satisfies Partial<Handlers>;
}
