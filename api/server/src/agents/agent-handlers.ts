import type { AgentDetail, LifecycleAnswer } from '@hamlet/contract';
import { compareText } from '@hamlet/core';
import { isConnectionError, readBalances, readMeasures, readMinds, readTurns } from '@hamlet/store';
import type { Db, TurnCursor, Tx } from '@hamlet/store';
import { z } from 'zod';
import { plain, type Caller, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Accepted, type Outcome, type Refused } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { refusalOfBar } from '../standing/bar-refusal.ts';
import { inCluster } from '../resource-writes/write-cluster.ts';
import { boughtLimits } from './bought-limits.ts';
import { writtenLife, type LifecycleChange, type OnConflict } from './agent-source.ts';
import { agentDetail, entitlementView, type Holdings } from './describe-agent.ts';
import type { Village } from '../village.ts';

/** A timestamp from Postgres. It has six decimal places, which zod's own schemas refuse. */
const Moment = z
  .string()
  .max(40)
  .refine((text) => !Number.isNaN(Date.parse(text)));
const turnPages = pageCursor<TurnCursor>(z.strictObject({ recordedAt: Moment, turnId: z.uuid() }));

/** The limit that the agent's requests are waiting for; null if there is none or Redis is unreachable. */
export type ReadLimitReached = (agentId: string) => Promise<NonNullable<AgentDetail['limit_reached']> | null>;

async function refuseBanned(tx: Tx, agentId: string): Promise<Refused | null> {
  const ban = (await readMeasures(tx, [agentId])).find(({ measure }) => measure === 'ban');
  return ban === undefined ? null : refusalOfBar(agentId, ban);
}

/** Reads balances, purchases and reported minds for display. Returns no values if Postgres is unreachable, so that agents can still be read. */
async function shownHoldings(db: Db, agentIds: readonly string[]): Promise<(agentId: string) => Holdings> {
  try {
    const balances = await readBalances(db, agentIds);
    const bought = await boughtLimits(db, agentIds, () => performance.now());
    const minds = await readMinds(db, agentIds);
    return (agentId) => ({ balance: balances.get(agentId), raise: bought(agentId), reported: minds.get(agentId) });
  } catch (error) {
    if (isConnectionError(error)) return () => ({ balance: undefined, raise: (limits) => limits, reported: undefined });
    throw error;
  }
}

type LifeRequest = Caller & {
  readonly params: { readonly agent_id: string };
  readonly query: { readonly on_conflict: OnConflict };
};

interface LifeAct {
  readonly action: string;
  readonly refusesBanned: boolean;
  /** `begunAt` is the same for all attempts of a request. */
  readonly write: (request: LifeRequest, begunAt: Date) => Promise<Outcome<LifecycleChange>>;
}

function changeLife(db: Db, { action, refusesBanned, write }: LifeAct) {
  return inCluster(db, (request: LifeRequest) =>
    accepted({
      kind: 'Agent',
      name: request.params.agent_id,
      action,
      check: async (tx) => (refusesBanned ? refuseBanned(tx, request.params.agent_id) : null),
      write: async ({ begunAt }) => writtenLife(await write(request, begunAt)),
      detail: ({ uid }) => ({ uid }),
      answer: ({ record, changed }): Accepted<LifecycleAnswer> => {
        const { agentId, spec, status } = record;
        return accepted({ agent_id: agentId, power: spec.power, cycle: status.cycle ?? 0, changed });
      },
    }),
  );
}

function listAgents({ reader, db }: Village): Handlers['listAgents'] {
  return plain(async ({ query }) => {
    const all = await reader.describeAll();
    const holdings = await shownHoldings(
      db,
      all.map(({ record }) => record.agentId),
    );
    return accepted({
      agents: all.map((described) => {
        const detail = agentDetail(described, holdings(described.record.agentId));
        return query.persona === 'omit' ? { ...detail, persona: null } : detail;
      }),
    });
  });
}

export function agentHandlers(village: Village) {
  const { reader, db, source, limitReached } = village;
  return {
    listEntitlements: plain(async () =>
      accepted({
        entitlements: source
          .entitlements()
          .toSorted((a, b) => a.spec.rank - b.spec.rank || compareText(a.name, b.name))
          .map(entitlementView),
      }),
    ),
    listAgents: listAgents(village),
    getAgent: plain(async ({ params }) => {
      const described = await reader.describe(params.agent_id);
      if (described === null) return refused('no_such_agent');
      const [holdings, limit] = await Promise.all([
        shownHoldings(db, [params.agent_id]),
        limitReached(params.agent_id),
      ]);
      const detail = agentDetail(described, holdings(params.agent_id));
      return accepted(limit === null ? detail : { ...detail, limit_reached: limit });
    }),
    awakenAgent: changeLife(db, {
      action: 'awaken',
      refusesBanned: true,
      write: ({ params, query }) => source.setPower(params.agent_id, 'Awake', query.on_conflict),
    }),
    suspendAgent: changeLife(db, {
      action: 'suspend',
      refusesBanned: false,
      write: ({ params, query }) => source.setPower(params.agent_id, 'Asleep', query.on_conflict),
    }),
    rebootAgent: changeLife(db, {
      action: 'reboot',
      refusesBanned: true,
      write: ({ params, query }, begunAt) => source.reboot(params.agent_id, begunAt, query.on_conflict),
    }),
    listTurns: plain(async ({ params, query }) => {
      if (source.get(params.agent_id) === null) return refused('no_such_agent');
      return paged(turnPages, { ...query, ...params, list: 'turns' }, async ({ before, limit }) => {
        const { turns, next } = await readTurns(db, params.agent_id, { after: before, limit });
        const view = ({ turn, agentId, recordedAt }: (typeof turns)[number]) => ({
          ...turn,
          agent_id: agentId,
          recorded_at: recordedAt.toISOString(),
        });
        return { turns: turns.map(view), next };
      });
    }),
  } satisfies Partial<Handlers>;
}
