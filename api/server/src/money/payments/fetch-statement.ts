import { compareBooks, inTransaction, keepStatement, type Db, type Rate, type StatementLine } from '@hamlet/store';
import { PayPalError, type PayPalClient } from './paypal-client.ts';
import type { TransactionPage } from './paypal-wire.ts';

const PROVIDER = 'paypal';
/** PayPal searches at most 31 days. Reading thirty days each night also covers nights without an answer. */
const WINDOW_MS = 30 * 86_400_000;
const PAGES_MAX = 1_000;
const AGENT_ID_MAX_CHARS = 127;

type Info = TransactionPage['transaction_details'][number]['transaction_info'];

/** A payment (T00…), or money that takes back the transaction that it names; null for fees and others. */
function lineOf(info: Info): StatementLine | null {
  const {
    transaction_amount: amount,
    paypal_reference_id: reference,
    paypal_reference_id_type: type,
    transaction_event_code: code = '',
  } = info;
  const isBack = reference !== undefined && type === 'TXN';
  if (info.transaction_status !== 'S' || (!isBack && !code.startsWith('T00'))) return null;
  return {
    transactionId: info.transaction_id,
    amount: amount.value,
    currency: amount.currency_code,
    at: info.transaction_initiation_date,
    referenceId: isBack ? reference : null,
    agentId: info.custom_field?.slice(0, AGENT_ID_MAX_CHARS) ?? null,
  };
}

function timeOf(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new PayPalError(`PayPal sent an invalid time: ${text}`);
  return time;
}

export async function reconcilePayPal({
  db,
  client,
  rate,
  now,
}: {
  readonly db: Db;
  readonly client: PayPalClient;
  readonly rate: Rate;
  readonly now: Date;
}): Promise<number> {
  const from = new Date(now.getTime() - WINDOW_MS);
  const lines: StatementLine[] = [];
  let through = now;
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    if (page > PAGES_MAX) throw new PayPalError(`PayPal's statement has more than ${PAGES_MAX} pages`);
    const answer = await client.transactions(from, now, page);
    pages = answer.total_pages;
    // PayPal's list is complete only up to its last refresh, so a later payment does not count as missing.
    const listed = timeOf(answer.last_refreshed_datetime);
    if (listed < through) through = listed;
    lines.push(...answer.transaction_details.flatMap(({ transaction_info: info }) => lineOf(info) ?? []));
  }
  return inTransaction(db, async (tx) => {
    await keepStatement(tx, {
      provider: PROVIDER,
      from,
      through: through < from ? from : through,
      lines,
      byId: PROVIDER,
    });
    return compareBooks(tx, rate);
  });
}
