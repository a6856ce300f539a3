import type { LifecycleAnswer } from '@hamlet/contract';
import { lockResource, isConnectionError, noteResource, readMeasures, readTurns } from '@hamlet/store';
import type { Tx } from '@hamlet/store';
import type { LifecycleChange } from '../agents/agent-source.ts';
import { agentDetail, entitlementView } from '../agents/describe-agent.ts';
import type { Holdings } from '../agents/describe-agent.ts';
import type { Actor } from '../http/actor.ts';
import type { Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome, Refused } from '../http/outcome.ts';
import { recordAct } from '../audit/record-act.ts';
import { refusalOfBar } from '../standing/bar-refusal.ts';
import { boughtLimits } from '../trade/bought-limits.ts';
import { cursorOf, readCursor } from './turn-cursor.ts';
import type { Services } from './services.ts';

type Names =
  | 'listEntitlements'
  | 'listAgents'
  | 'getAgent'
  | 'awakenAgent'
  | 'suspendAgent'
  | 'rebootAgent'
  | 'listTurns';

interface Asked {
  readonly actor: Actor;
  readonly requestId: string;
  readonly traceparent: string;
  readonly params: { readonly agent_id: string };
}

/** A banned agent is awakened by nobody, whatever else holds against it. */
async function refuseBanned(tx: Tx, agentId: string): Promise<Refused | null> {
  const ban = (await readMeasures(tx, [agentId])).find(({ measure }) => measure === 'ban');
  return ban === undefined ? null : refusalOfBar(agentId, ban);
}

/** Balances and purchases for details that are only looked at: none while Postgres is away, because who is where stays readable. */
async function shownHoldings(
  { db, readBalances }: Pick<Services, 'db' | 'readBalances'>,
  agentIds: readonly string[],
): Promise<(agentId: string) => Holdings> {
  try {
    const balances = await readBalances(db, agentIds);
    const bought = await boughtLimits(db, agentIds, () => performance.now());
    return (agentId) => ({ balance: balances.get(agentId), raise: bought(agentId) });
  } catch (error) {
    if (isConnectionError(error)) return () => ({ balance: undefined, raise: (limits) => limits });
    throw error;
  }
}

/** Changes an agent's life, with a line in the audit where something changed: this one, and none of the watch of the cluster. */
async function changeLife(
  asked: Asked,
  tx: Tx,
  act: { readonly action: string; readonly write: () => Promise<Outcome<LifecycleChange>> },
): Promise<Outcome<LifecycleAnswer>> {
  await lockResource(tx, 'Agent', asked.params.agent_id);
  const outcome = await act.write();
  if (!outcome.ok) return outcome;
  const { record, changed } = outcome.data;
  const { uid, agentId, generation } = record;
  if (changed) await recordAct(tx, asked, { action: act.action, object: agentId, detail: { uid } });
  if (changed && generation !== undefined) await noteResource(tx, { uid, kind: 'Agent', name: agentId, generation });
  return accepted({ agent_id: record.agentId, power: record.spec.power, cycle: record.status.cycle ?? 0, changed });
}

function listEntitlements({ source }: Services): Handlers['listEntitlements'] {
  return {
    kind: 'plain',
    run: async () =>
      accepted({
        entitlements: source
          .entitlements()
          .toSorted((a, b) => a.spec.rank - b.spec.rank || (a.name < b.name ? -1 : 1))
          .map(entitlementView),
      }),
  };
}

function listAgents({ reader, db, readBalances }: Services): Handlers['listAgents'] {
  return {
    kind: 'plain',
    run: async ({ query }) => {
      const all = await reader.describeAll();
      const holdings = await shownHoldings(
        { db, readBalances },
        all.map(({ record }) => record.agentId),
      );
      return accepted({
        agents: all.map((described) => {
          const detail = agentDetail(described, holdings(described.record.agentId));
          return query.persona === 'omit' ? { ...detail, persona: null } : detail;
        }),
      });
    },
  };
}

function getAgent({ reader, db, readBalances }: Services): Handlers['getAgent'] {
  return {
    kind: 'plain',
    run: async ({ params }) => {
      const described = await reader.describe(params.agent_id);
      if (described === null) return refused('no_such_agent', `There is no agent ${params.agent_id}`);
      const holdings = await shownHoldings({ db, readBalances }, [params.agent_id]);
      return accepted(agentDetail(described, holdings(params.agent_id)));
    },
  };
}

function awakenAgent({ source }: Services): Handlers['awakenAgent'] {
  return {
    kind: 'tx',
    run: async (request, tx) =>
      (await refuseBanned(tx, request.params.agent_id)) ??
      changeLife(request, tx, {
        action: 'awaken',
        write: () => source.setPower(request.params.agent_id, 'Awake', request.query.on_conflict),
      }),
  };
}

function suspendAgent({ source }: Services): Handlers['suspendAgent'] {
  return {
    kind: 'tx',
    run: async (request, tx) =>
      changeLife(request, tx, {
        action: 'suspend',
        write: () => source.setPower(request.params.agent_id, 'Asleep', request.query.on_conflict),
      }),
  };
}

function rebootAgent({ source }: Services): Handlers['rebootAgent'] {
  return {
    kind: 'tx',
    run: async (request, tx) =>
      (await refuseBanned(tx, request.params.agent_id)) ??
      changeLife(request, tx, {
        action: 'reboot',
        write: () => source.reboot(request.params.agent_id, request.now, request.query.on_conflict),
      }),
  };
}

function listTurns({ source, db }: Services): Handlers['listTurns'] {
  return {
    kind: 'plain',
    run: async ({ params, query }) => {
      if (source.get(params.agent_id) === null) return refused('no_such_agent', `There is no agent ${params.agent_id}`);
      const after = query.cursor === undefined ? null : readCursor(query.cursor, params.agent_id);
      if (after === undefined) return refused('cursor_invalid');
      const page = await readTurns(db, params.agent_id, { after, limit: query.limit });
      const turns = page.turns.map(({ turn, agentId, recordedAt }) => ({
        ...turn,
        agent_id: agentId,
        recorded_at: recordedAt.toISOString(),
      }));
      return accepted({ turns, next_cursor: page.next === null ? null : cursorOf(page.next, params.agent_id) });
    },
  };
}

/** Agents as people see them, and their lifecycle. */
export function agentHandlers(services: Services): Pick<Handlers, Names> {
  return {
    listEntitlements: listEntitlements(services),
    listAgents: listAgents(services),
    getAgent: getAgent(services),
    awakenAgent: awakenAgent(services),
    suspendAgent: suspendAgent(services),
    rebootAgent: rebootAgent(services),
    listTurns: listTurns(services),
  };
}
