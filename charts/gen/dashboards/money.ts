import { VILLAGE, type Dashboard, type Panel } from './dashboard.ts';

/** A value that must be 0. Any other is a fault. */
const fault = (title: string, metric: string, about?: string): Panel => ({
  title,
  shape: 'number',
  redFrom: 1,
  ...(about === undefined ? {} : { about }),
  queries: [['faults', `max(${metric}{${VILLAGE}})`]],
});

/** aiDollars: what is charged, what is held, and whether the books are right. */
export const MONEY_DASHBOARD: Dashboard = {
  uid: 'hamlet-money',
  title: 'Hamlet: money',
  about: 'aiDollars that models cost, pods that are paid for, and the proofs of the books.',
  rows: {
    'Must be 0': [
      fault('Broken rules of the ledger', 'hamlet_ledger_broken_rules'),
      fault('Broken rules of trade', 'hamlet_trade_broken_rules'),
      fault('Failed proofs in a row', 'hamlet_ledger_failed_proofs'),
      fault('Unpaid pods', 'hamlet_claims_unpaid_pods', 'Pods of a priced tier for which no money is held.'),
      fault('Broken holds', 'hamlet_claims_broken_holds'),
      fault('Unsettled requests to models', 'hamlet_model_unsettled_total'),
    ],
    Models: [
      {
        title: 'aiDollars charged for models an hour',
        queries: [['{{model}}', `sum by (model) (increase(hamlet_model_charged_aidollars_total{${VILLAGE}}[1h]))`]],
      },
      {
        title: 'aiDollars charged for models in 24 hours',
        shape: 'number',
        queries: [['aiDollars', `sum(increase(hamlet_model_charged_aidollars_total{${VILLAGE}}[24h]))`]],
      },
      {
        title: 'aiDollars for a thousand tokens',
        shape: 'number',
        queries: [
          [
            'aiDollars',
            `1000 * sum(increase(hamlet_model_charged_aidollars_total{${VILLAGE}}[24h])) / sum(increase(hamlet_model_tokens_total{${VILLAGE}}[24h]))`,
          ],
        ],
      },
      {
        title: 'Requests that were not paid, an hour',
        shape: 'number',
        queries: [
          [
            'requests',
            `sum(increase(hamlet_model_refusals_total{${VILLAGE},reason="insufficient_funds"}[1h])) or vector(0)`,
          ],
        ],
      },
    ],
    'Compute and payments': [
      {
        title: 'Agents that hold money for their pod',
        queries: [['agents', `max(hamlet_claims_held{${VILLAGE}})`]],
      },
      {
        title: 'Time since the books were proven',
        unit: 's',
        redFrom: 900,
        queries: [['age', `time() - max(hamlet_ledger_proven_seconds{${VILLAGE}} > 0)`]],
      },
      {
        title: 'Payments',
        queries: [
          ['announced, not credited', `max(hamlet_payments_waiting{${VILLAGE}})`],
          ['unexplained differences', `max(hamlet_reconciliation_unexplained{${VILLAGE}})`],
        ],
      },
      {
        title: 'Age of the oldest unexplained difference',
        unit: 's',
        redFrom: 86_400,
        queries: [['age', `max(hamlet_reconciliation_oldest_seconds{${VILLAGE}})`]],
      },
    ],
  },
};
