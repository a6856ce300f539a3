import { parseAiDollars, VILLAGE_TOOLS, type CallOutcome, type RunBudgets } from '@hamlet/contract';
import { decideWorker } from '@hamlet/core';
import { insertRuns, readWorkerTakings, taintWorker, type RunRow, type Tx } from '@hamlet/store';
import { invalidOutcome } from '../../permissions/call-outcomes.ts';

export async function beginWorker(
  tx: Tx,
  { run, callId, arguments: given }: { readonly run: RunRow; readonly callId: string; readonly arguments: unknown },
): Promise<CallOutcome> {
  const parsed = VILLAGE_TOOLS.delegate.input.safeParse(given);
  if (!parsed.success) return invalidOutcome(parsed.error.issues);
  const { role, prompt, tokens, money, tools } = parsed.data;
  const budgets = run.budgets as RunBudgets | null;
  // An API of an older version may have begun the run.
  if (budgets === null)
    return {
      kind: 'failed',
      code: 'worker_no_budgets',
      text: 'This run has no budget to share. Do this part yourself.',
    };
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
    { tokens, moneyMicros: money === undefined ? undefined : parseAiDollars(money) },
  );
  if (verdict.kind === 'refused') {
    const { code, what, fix } = verdict.error;
    return { kind: 'failed', code, text: `${what} ${fix}` };
  }
  const [worker] = await insertRuns(tx, [
    {
      agentId: run.agentId,
      agentUid: run.agentUid,
      kind: 'worker',
      prompt,
      createdByRole: run.createdByRole,
      createdById: run.createdById,
      schedule: null,
      sessionId: run.sessionId,
      safeMode: run.safeMode,
      worker: {
        parentRunId: run.runId,
        callId,
        role,
        depth: run.depth + 1,
        budgets: verdict.budgets,
        toolLists: [...(run.toolLists ?? []), ...(tools === undefined ? [] : [tools])],
      },
    },
  ]);
  if (worker === undefined) throw new Error('the database returned no worker');
  await taintWorker(tx, worker);
  return { kind: 'ok', text: `The worker ${role} begins as run ${worker.runId}.`, data: { run_id: worker.runId } };
}

/** Usage by the API's own count, if it has one. */
export function ownUsage({ tokens, costMicros, claimedTokens, claimedCostMicros }: RunRow) {
  return tokens > 0 || costMicros > 0
    ? { tokens, costMicros }
    : { tokens: claimedTokens, costMicros: claimedCostMicros };
}
