import { parseAiDollars, type CallOutcome, type RunBudgets, type WorkerStage } from '@hamlet/contract';
import { decideWorker } from '@hamlet/core';
import { insertRuns, readWorkerTakings, taintWorker, type RunRow, type Tx } from '@hamlet/store';

interface AskedWorker {
  readonly callId: string;
  readonly role: string;
  readonly prompt: string;
  readonly tokens?: number | undefined;
  readonly money?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly stage?: WorkerStage | undefined;
}

/** `active`: the workers of the run that have not ended. */
type Added =
  | { readonly ok: true; readonly worker: RunRow; readonly outcome: CallOutcome }
  | { readonly ok: false; readonly active: number; readonly outcome: CallOutcome };

/** Adds a worker of a run, with a share of the run's budgets. */
export async function addWorker(tx: Tx, run: RunRow, asked: AskedWorker): Promise<Added> {
  const budgets = run.budgets as RunBudgets | null;
  // An API of an older version may have begun the run.
  if (budgets === null)
    return failed('worker_no_budgets', 'This run has no budget to share. Do this part yourself.', 0);
  const taken = await readWorkerTakings(tx, run.runId, (amount) => Number(parseAiDollars(amount)));
  const own = ownUsage(run);
  const verdict = decideWorker(
    {
      depth: run.depth,
      active: taken.active,
      budgets,
      moneyMicros: parseAiDollars(budgets.money),
      taken: { tokens: own.tokens + taken.tokens, moneyMicros: BigInt(own.costMicros + taken.costMicros) },
    },
    { tokens: asked.tokens, moneyMicros: asked.money === undefined ? undefined : parseAiDollars(asked.money) },
  );
  if (verdict.kind === 'refused') {
    const { code, what, fix } = verdict.error;
    return failed(code, `${what} ${fix}`, taken.active);
  }
  const worker = await insertWorker(tx, run, { ...asked, budgets: verdict.budgets });
  const text = `The worker ${asked.role} begins as run ${worker.runId}.`;
  return { ok: true, worker, outcome: { kind: 'ok', text, data: { run_id: worker.runId } } };
}

const failed = (code: string, text: string, active: number): Added => ({
  ok: false,
  active,
  outcome: { kind: 'failed', code, text },
});

async function insertWorker(
  tx: Tx,
  run: RunRow,
  { callId, role, prompt, tools, stage, budgets }: AskedWorker & { readonly budgets: RunBudgets },
): Promise<RunRow> {
  const { agentId, agentUid, createdByRole, createdById, sessionId, safeMode } = run;
  const worker = {
    parentRunId: run.runId,
    callId,
    role,
    depth: run.depth + 1,
    budgets,
    toolLists: [...(run.toolLists ?? []), ...(tools === undefined ? [] : [tools])],
    stage,
  };
  const given = { kind: 'worker', prompt, createdByRole, createdById, schedule: null } as const;
  const [made] = await insertRuns(tx, [{ agentId, agentUid, ...given, sessionId, safeMode, worker }]);
  if (made === undefined) throw new Error('the database returned no worker');
  await taintWorker(tx, made);
  return made;
}

/** Usage by the API's own count, if it has one. */
export function ownUsage({ tokens, costMicros, claimedTokens, claimedCostMicros }: RunRow) {
  return tokens > 0 || costMicros > 0
    ? { tokens, costMicros }
    : { tokens: claimedTokens, costMicros: claimedCostMicros };
}
