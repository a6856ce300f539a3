import type { LifecycleAnswer } from '@hamlet/contract';
import { lockResource, isConnectionError, noteResource, readBalances, readMeasures, readTurns } from '@hamlet/store';
import type { Db, TurnCursor, Tx } from '@hamlet/store';
import { z } from 'zod';
import { recordAct } from '../audit/record-act.ts';
import { inTx, plain, type Caller, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { pageCursor } from '../http/page-cursor.ts';
import { refusalOfBar } from '../standing/bar-refusal.ts';
import { boughtLimits } from './bought-limits.ts';
import type { AgentSource, LifecycleChange } from './agent-source.ts';
import { agentDetail, entitlementView, type Described, type Holdings } from './describe-agent.ts';

/** A date from Postgres. It has six decimal places of a second, which zod's own schemas refuse. */
const Moment = z
  .string()
  .max(40)
  .refine((text) => !Number.isNaN(Date.parse(text)));
const turnPages = pageCursor<TurnCursor>(z.strictObject({ recordedAt: Moment, turnId: z.uuid() }));

export interface AgentPorts {
  readonly db: Db;
  readonly source: AgentSource;
  readonly reader: {
    describe(agentId: string): Promise<Described | null>;
    describeAll(): Promise<readonly Described[]>;
  };
}

async function refuseBanned(tx: Tx, agentId: string): Promise<Refused | null> {
  const ban = (await readMeasures(tx, [agentId])).find(({ measure }) => measure === 'ban');
  return ban === undefined ? null : refusalOfBar(agentId, ban);
}

/** Reads balances and purchases for display. Without Postgres it returns none, so that the agents stay readable. */
async function shownHoldings(db: Db, agentIds: readonly string[]): Promise<(agentId: string) => Holdings> {
  try {
    const balances = await readBalances(db, agentIds);
    const bought = await boughtLimits(db, agentIds, () => performance.now());
    return (agentId) => ({ balance: balances.get(agentId), raise: bought(agentId) });
  } catch (error) {
    if (isConnectionError(error)) return () => ({ balance: undefined, raise: (limits) => limits });
    throw error;
  }
}

/** Changes an agent's power or cycle, and records the change in the audit. The watch of the cluster does not record it again. */
async function changeLife(
  request: Caller & { readonly params: { readonly agent_id: string } },
  tx: Tx,
  act: { readonly action: string; readonly write: () => Promise<Outcome<LifecycleChange>> },
): Promise<Outcome<LifecycleAnswer>> {
  await lockResource(tx, 'Agent', request.params.agent_id);
  const outcome = await act.write();
  if (!outcome.ok) return outcome;
  const { record, changed } = outcome.data;
  const { uid, agentId, generation } = record;
  if (changed) await recordAct(tx, request, { action: act.action, object: agentId, detail: { uid } });
  if (changed && generation !== undefined) await noteResource(tx, { uid, kind: 'Agent', name: agentId, generation });
  return accepted({ agent_id: record.agentId, power: record.spec.power, cycle: record.status.cycle ?? 0, changed });
}

function listAgents({ reader, db }: AgentPorts): Handlers['listAgents'] {
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

export function agentHandlers(ports: AgentPorts) {
  const { reader, db, source } = ports;
  return {
    listEntitlements: plain(async () =>
      accepted({
        entitlements: source
          .entitlements()
          .toSorted((a, b) => a.spec.rank - b.spec.rank || (a.name < b.name ? -1 : 1))
          .map(entitlementView),
      }),
    ),
    listAgents: listAgents(ports),
    getAgent: plain(async ({ params }) => {
      const described = await reader.describe(params.agent_id);
      if (described === null) return refused('no_such_agent', `There is no agent ${params.agent_id}`);
      const holdings = await shownHoldings(db, [params.agent_id]);
      return accepted(agentDetail(described, holdings(params.agent_id)));
    }),
    awakenAgent: inTx(
      async (request, tx) =>
        (await refuseBanned(tx, request.params.agent_id)) ??
        changeLife(request, tx, {
          action: 'awaken',
          write: () => source.setPower(request.params.agent_id, 'Awake', request.query.on_conflict),
        }),
    ),
    suspendAgent: inTx(async (request, tx) =>
      changeLife(request, tx, {
        action: 'suspend',
        write: () => source.setPower(request.params.agent_id, 'Asleep', request.query.on_conflict),
      }),
    ),
    rebootAgent: inTx(
      async (request, tx) =>
        (await refuseBanned(tx, request.params.agent_id)) ??
        changeLife(request, tx, {
          action: 'reboot',
          write: () => source.reboot(request.params.agent_id, request.now, request.query.on_conflict),
        }),
    ),
    listTurns: plain(async ({ params, query }) => {
      if (source.get(params.agent_id) === null) return refused('no_such_agent', `There is no agent ${params.agent_id}`);
      const after = turnPages.read(query.cursor, params.agent_id);
      if (after === undefined) return refused('cursor_invalid');
      const page = await readTurns(db, params.agent_id, { after, limit: query.limit });
      const turns = page.turns.map(({ turn, agentId, recordedAt }) => ({
        ...turn,
        agent_id: agentId,
        recorded_at: recordedAt.toISOString(),
      }));
      return accepted({ turns, next_cursor: page.next === null ? null : turnPages.write(params.agent_id, page.next) });
    }),
  } satisfies Partial<Handlers>;
}
