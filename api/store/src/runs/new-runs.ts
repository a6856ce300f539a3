import {
  storableText,
  type RunBudgets,
  type RunKind,
  type RunWorkflow,
  type SafeMode,
  type WorkerStage,
} from '@hamlet/contract';
import { sql } from 'kysely';
import { lockName, type Tx } from '../connection/database.ts';
import { RUN_COLUMNS, type RunRow } from './run-row.ts';

export interface NewRun {
  readonly agentId: string;
  readonly agentUid: string;
  readonly kind: RunKind;
  readonly prompt: string;
  readonly createdByRole: string;
  readonly createdById: string;
  readonly schedule: { readonly uid: string; readonly name: string; readonly slot: Date } | null;
  readonly sessionId?: string | null | undefined;
  readonly safeMode?: SafeMode | null | undefined;
  readonly worker?: NewWorker | undefined;
  /** The caller has kept its manifests in this transaction (`keepManifests`). */
  readonly workflow?: RunWorkflow | undefined;
  /** The W3C header of the request that creates the run; absent if the village has no traces. */
  readonly traceparent?: string | undefined;
}

/** A worker, with the share of its parent's budgets. */
interface NewWorker {
  readonly parentRunId: string;
  readonly callId: string;
  readonly role: string;
  readonly depth: number;
  readonly budgets: RunBudgets;
  /** The run's lists of tools, besides that of its agent; a tool must be in each. */
  readonly toolLists: readonly (readonly string[])[];
  /** The stage of the parent's workflow that the run works for. */
  readonly stage?: WorkerStage | undefined;
}

/** Channel that announces a new run of an agent; the payload is the agent's id. */
export const RUN_HINTS_CHANNEL = 'run_hint';

export async function hintAgents(tx: Tx, agentIds: readonly string[]): Promise<void> {
  if (agentIds.length === 0) return;
  const ids = [...new Set(agentIds)];
  await sql`select pg_notify(${RUN_HINTS_CHANNEL}, agent_id) from unnest(${ids}::text[]) as agent_id`.execute(tx);
}

function workerColumns(worker: NewWorker | undefined) {
  const none = { parent_run_id: null, parent_call_id: null, role: null, depth: 0, budgets: null };
  if (worker === undefined) return { ...none, tool_lists: null, stage: null };
  const { parentRunId, callId, role, depth, budgets, toolLists, stage } = worker;
  return {
    parent_run_id: parentRunId,
    parent_call_id: callId,
    role,
    depth,
    budgets: JSON.stringify(budgets),
    tool_lists: toolLists.length === 0 ? null : JSON.stringify(toolLists),
    stage: stage === undefined ? null : JSON.stringify(stage),
  };
}

function workflowColumns(workflow: RunWorkflow | undefined) {
  if (workflow === undefined) return { workflow: null, manifests: null };
  const { manifests, ...asked } = workflow;
  return { workflow: JSON.stringify(asked), manifests };
}

const queuedDetail = (run: NewRun | undefined): string => JSON.stringify({ traceparent: run?.traceparent });

/** Creates queued runs in the order of the list, each with its first event, and notifies their agents. */
export async function insertRuns(tx: Tx, runs: readonly NewRun[]): Promise<readonly RunRow[]> {
  if (runs.length === 0) return [];
  const made = await tx
    .insertInto('run')
    .values(
      runs.map(({ schedule, worker, workflow, ...run }) => ({
        agent_id: run.agentId,
        agent_uid: run.agentUid,
        kind: run.kind,
        // A custom resource may contain a NUL, which Postgres cannot store.
        prompt: storableText(run.prompt),
        created_by_role: run.createdByRole,
        created_by_id: run.createdById,
        schedule_uid: schedule?.uid ?? null,
        schedule_name: schedule?.name ?? null,
        slot: schedule?.slot ?? null,
        session_id: run.sessionId ?? null,
        safe_mode: run.safeMode ?? null,
        ...workerColumns(worker),
        ...workflowColumns(workflow),
        events: 1,
      })),
    )
    .returning(RUN_COLUMNS)
    .execute();
  await tx
    .insertInto('run_event')
    .values(
      made.map(({ runId }, index) => ({
        run_id: runId,
        number: 1,
        event: 'queued',
        detail: queuedDetail(runs[index]),
      })),
    )
    .execute();
  await hintAgents(
    tx,
    made.map(({ agentId }) => agentId),
  );
  return made;
}

/**
 * Counts the waiting runs of agents, and locks the agents' queues, so that the count is still right when the caller adds runs. Call it
 * before locking any run (`lock-order.ts`).
 */
export async function countWaiting(tx: Tx, agentIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (agentIds.length === 0) return new Map();
  for (const agentId of [...new Set(agentIds)].toSorted()) await lockName(tx, `queue of ${agentId}`);
  const rows = await tx
    .selectFrom('run')
    .select(['agent_id', sql<number>`count(*)`.as('waiting')])
    .where('agent_id', '=', sql<string>`any(${[...agentIds]}::text[])`)
    .where('state', '=', 'queued')
    .where('kind', '<>', 'worker')
    .groupBy('agent_id')
    .execute();
  return new Map(rows.map(({ agent_id, waiting }) => [agent_id, waiting]));
}
