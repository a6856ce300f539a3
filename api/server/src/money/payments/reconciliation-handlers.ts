import { DIFFERENCE_OVERDUE_S, formatAiDollars } from '@hamlet/contract';
import type { Difference, ReconciliationView, WaitingPayment } from '@hamlet/contract';
import {
  changeDifferenceRow,
  compareBooks,
  inSnapshot,
  keepStatement,
  readCoverage,
  readDebtors,
  readDifferences,
  readWaitingCaptures,
} from '@hamlet/store';
import type { DifferenceRow, WaitingCapture } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { inTx, plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import { normalTransactionId } from './credit-handlers.ts';
import { currencyText } from './settle-captures.ts';
import type { Village } from '../../village.ts';

function differenceView(row: DifferenceRow): Difference {
  return {
    difference_id: row.differenceId,
    kind: row.kind,
    provider: row.provider,
    provider_transaction_id: row.transactionId,
    agent_id: row.agentId,
    ours: row.ours === null ? null : formatAiDollars(row.ours),
    theirs: row.theirs,
    owner: row.owner,
    found_at: row.foundAt.toISOString(),
    age_s: Math.max(0, row.ageS),
    overdue: row.explanation === null && row.ageS >= DIFFERENCE_OVERDUE_S,
    explanation: row.explanation,
    explained_by: row.explainedBy,
  };
}

function waitingView({ captureId, why, since, truth }: WaitingCapture): WaitingPayment {
  return {
    provider: 'paypal',
    provider_transaction_id: captureId,
    agent_id: truth?.customId ?? null,
    amount: truth === null ? null : currencyText(BigInt(truth.amount)),
    currency: truth?.currency ?? null,
    why,
    since: since.toISOString(),
  };
}

function importStatement({ payments }: Village): Handlers['importStatement'] {
  return inTx(async (request, tx) => {
    const { provider, from, through, transactions } = request.body;
    const lines = transactions.map((line) => ({
      transactionId: normalTransactionId(provider, line.provider_transaction_id),
      amount: line.amount,
      currency: line.currency,
      at: line.at,
      referenceId: line.reference_id === undefined ? null : normalTransactionId(provider, line.reference_id),
      agentId: line.agent_id ?? null,
    }));
    await keepStatement(tx, {
      provider,
      from: new Date(from),
      through: new Date(through),
      lines,
      byId: request.actor.id,
    });
    const differences = await compareBooks(tx, payments.rate);
    await recordAct(tx, request, {
      action: 'reconciliation.import',
      object: provider,
      detail: { from, through, lines: lines.length, differences },
    });
    return accepted({ lines: lines.length, differences });
  });
}

export function reconciliationHandlers(village: Village) {
  const { db, payments } = village;
  return {
    getReconciliation: plain(() =>
      inSnapshot(db, async (tx) => {
        const differences = (await readDifferences(tx)).map(differenceView);
        const of = (kind: Difference['kind']): Difference[] =>
          differences.filter((difference) => difference.kind === kind);
        const view: ReconciliationView = {
          providers: (await readCoverage(tx)).map(({ provider, from, through, comparedAt }) => ({
            provider,
            compared_from: from.toISOString(),
            compared_through: through.toISOString(),
            compared_at: comparedAt.toISOString(),
          })),
          paypal: payments.paypalMode,
          only_ours: of('only_ours'),
          only_theirs: of('only_theirs'),
          amount_differs: of('amount_differs'),
          waiting: (await readWaitingCaptures(tx)).map(waitingView),
          in_debt: (await readDebtors(tx)).map(({ agentId, balance }) => ({
            agent_id: agentId,
            balance: formatAiDollars(balance),
          })),
        };
        return accepted(view);
      }),
    ),
    changeDifference: inTx(async (request, tx) => {
      const { params, body, actor } = request;
      const id = params.difference_id;
      const changed = await changeDifferenceRow(tx, id, {
        owner: body.owner ?? null,
        explanation: body.explanation ?? null,
        by: actor.id,
      });
      const [row] = changed ? await readDifferences(tx, id) : [];
      if (row === undefined) return refused('no_such_difference');
      await recordAct(tx, request, {
        action: 'reconciliation.change',
        object: `${row.provider} ${row.transactionId}`,
        detail: body,
      });
      return accepted({ difference: differenceView(row) });
    }),
    importStatement: importStatement(village),
  } satisfies Partial<Handlers>;
}
