import { randomUUID } from 'node:crypto';
import type { LifecycleAnswer } from '@hamlet/contract';
import { isConnectionError, readMeasures, readTurns, recordAudit } from '@hamlet/store';
import type { Tx } from '@hamlet/store';
import type { LifecycleChange } from '../agents/agent-source.ts';
import { agentDetail, entitlementView } from '../agents/describe-agent.ts';
import type { Actor } from '../http/actor.ts';
import type { Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome, Refused } from '../http/outcome.ts';
import { refusalOfBar } from '../standing/bar-refusal.ts';
import { cursorOf, readCursor } from './turn-cursor.ts';
import type { Services } from './services.ts';

type Names = 'listEntitlements' | 'listAgents' | 'getAgent' | 'awakenAgent' | 'suspendAgent' | 'rebootAgent' | 'listTurns';

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

/** Balances for details that are only looked at: none while Postgres is away, because who is where stays readable. */
async function shownBalances({ db, readBalances }: Pick<Services, 'db' | 'readBalances'>, agentIds: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  try {
    return await readBalances(db, agentIds);
  } catch (error) {
    if (isConnectionError(error)) return new Map();
    throw error;
  }
}

/** The answer to a change of an agent's life, with its line in the audit where something changed. */
async function conclude(asked: Asked, tx: Tx, done: { readonly action: string; readonly outcome: Outcome<LifecycleChange> }): Promise<Outcome<LifecycleAnswer>> {
  const { action, outcome } = done;
  if (!outcome.ok) return outcome;
  const { record, changed } = outcome.data;
  const { actor, requestId, traceparent } = asked;
  const object = record.agentId;
  if (changed) await recordAudit(tx, { auditId: randomUUID(), actorRole: actor.role, actorId: actor.id, action, object, detail: { uid: record.uid }, requestId, traceparent });
  return accepted({ agent_id: record.agentId, power: record.spec.power, cycle: record.status.cycle ?? 0, changed });
}

/** Agents as people see them, and their lifecycle. */
export function agentHandlers(services: Services): Pick<Handlers, Names> {
  const { reader, source, db } = services;
  return {
    listEntitlements: {
      kind: 'plain',
      run: async () => accepted({ entitlements: source.entitlements().toSorted((a, b) => a.spec.rank - b.spec.rank || (a.name < b.name ? -1 : 1)).map(entitlementView) }),
    },
    listAgents: {
      kind: 'plain',
      run: async () => {
        const all = await reader.describeAll();
        const balances = await shownBalances(services, all.map(({ record }) => record.agentId));
        return accepted({ agents: all.map((described) => agentDetail(described, balances.get(described.record.agentId))) });
      },
    },
    getAgent: {
      kind: 'plain',
      run: async ({ params }) => {
        const described = await reader.describe(params.agent_id);
        if (described === null) return refused('no_such_agent', `There is no agent ${params.agent_id}`);
        const balances = await shownBalances(services, [params.agent_id]);
        return accepted(agentDetail(described, balances.get(params.agent_id)));
      },
    },
    awakenAgent: {
      kind: 'tx',
      run: async (request, tx) =>
        (await refuseBanned(tx, request.params.agent_id)) ?? conclude(request, tx, { action: 'awaken', outcome: await source.setPower(request.params.agent_id, 'Awake', request.query.on_conflict) }),
    },
    suspendAgent: {
      kind: 'tx',
      run: async (request, tx) =>
        conclude(request, tx, { action: 'suspend', outcome: await source.setPower(request.params.agent_id, 'Asleep', request.query.on_conflict) }),
    },
    rebootAgent: {
      kind: 'tx',
      run: async (request, tx) =>
        (await refuseBanned(tx, request.params.agent_id)) ?? conclude(request, tx, { action: 'reboot', outcome: await source.reboot(request.params.agent_id, request.now, request.query.on_conflict) }),
    },
    listTurns: {
      kind: 'plain',
      run: async ({ params, query }) => {
        if (source.get(params.agent_id) === null) return refused('no_such_agent', `There is no agent ${params.agent_id}`);
        const after = query.cursor === undefined ? null : readCursor(query.cursor, params.agent_id);
        if (after === undefined) return refused('cursor_invalid');
        const page = await readTurns(db, params.agent_id, { after, limit: query.limit });
        const turns = page.turns.map(({ turn, agentId, recordedAt }) => ({ ...turn, agent_id: agentId, recorded_at: recordedAt.toISOString() }));
        return accepted({ turns, next_cursor: page.next === null ? null : cursorOf(page.next, params.agent_id) });
      },
    },
  };
}
