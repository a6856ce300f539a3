import { formatAiDollars, type Allowance, type BalanceAnswer, type LedgerPage } from '@hamlet/contract';
import {
  cutPage,
  findAgentAccount,
  freezeMoment,
  readAllowance,
  readEntries,
  readFunds,
  readFundsAt,
} from '@hamlet/store';
import type { Db, Funds } from '@hamlet/store';
import { z } from 'zod';
import type { Actor } from '../../http/actor.ts';
import { inTx, plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { pageCursor } from '../../http/page-cursor.ts';
import { entryView } from './entry-view.ts';
import { dailyLimitOf, judge, type EconomyRules } from './judgement.ts';
import { readMoneyDays } from './money-days.ts';
import { nextDayAt, villageDay } from './village-day.ts';
import type { Village } from '../../village.ts';

interface LedgerPlace {
  readonly asOf: string;
  /** The version of the last entry on the page; the next page begins below it. */
  readonly before: number;
}

const pages = pageCursor<LedgerPlace>(z.strictObject({ asOf: z.iso.datetime(), before: z.int().min(1) }));

function balanceAnswer(agentId: string, { balance, held, asOf }: Funds): BalanceAnswer {
  return {
    agent_id: agentId,
    balance: formatAiDollars(balance),
    held: formatAiDollars(held),
    available: formatAiDollars(balance - held),
    as_of: asOf,
  };
}

async function allowanceOf(
  db: Db,
  { actor, now }: { readonly actor: Actor; readonly now: Date },
  rules: EconomyRules,
): Promise<Allowance> {
  const resets_at = nextDayAt(now, rules.timeZone).toISOString();
  const daily = dailyLimitOf(actor, rules);
  const used = await readAllowance(db, { memberId: actor.id, day: villageDay(now, rules.timeZone) });
  const left = daily > used ? daily - used : 0n;
  return { daily: formatAiDollars(daily), used: formatAiDollars(used), left: formatAiDollars(left), resets_at };
}

interface PageAsked {
  readonly agentId: string;
  readonly asOf: string | null;
  readonly cursor: string | undefined;
  readonly limit: number;
}

async function readPage(
  db: Db,
  accountId: number,
  { agentId, asOf, cursor, limit }: PageAsked,
): Promise<Outcome<LedgerPage>> {
  const from = pages.read(cursor, agentId);
  if (from === undefined) return refused('cursor_invalid');
  const moment = from?.asOf ?? (await freezeMoment(db, accountId, asOf));
  const read = await readEntries(db, accountId, { asOf: moment, before: from?.before ?? null, limit: limit + 1 });
  const { rows, next } = cutPage(read, limit, ({ version }) => pages.write(agentId, { asOf: moment, before: version }));
  return accepted({
    agent_id: agentId,
    entries: rows.map((row) => entryView(agentId, row)),
    as_of: moment,
    next_cursor: next,
  });
}

export function ledgerHandlers(village: Village) {
  const { db, source, economy, board } = village;
  const moneyDays = readMoneyDays(village);

  /** An agent without an account has had no life yet. If its Agent object exists, its balance is zero. */
  const unknown = (agentId: string): boolean => source.get(agentId) === null;

  return {
    rewardAgent: inTx(async (request, tx) => ({
      ...(await judge(tx, { kind: 'reward', ...request }, village)),
      afterCommit: board.nudge,
    })),
    penalizeAgent: inTx(async (request, tx) => ({
      ...(await judge(tx, { kind: 'penalty', ...request }, village)),
      afterCommit: board.nudge,
    })),
    getAllowance: plain(async ({ actor, now }) => accepted(await allowanceOf(db, { actor, now }, economy))),
    getBalance: plain(async ({ params: { agent_id: agentId }, query, now }) => {
      const account = await findAgentAccount(db, agentId);
      if (account === null && unknown(agentId)) return refused('no_such_agent');
      if (account === null)
        return accepted(balanceAnswer(agentId, { balance: 0n, held: 0n, asOf: query.as_of ?? now.toISOString() }));
      const { accountId } = account;
      const funds =
        query.as_of === undefined
          ? await readFunds(db, accountId)
          : await readFundsAt(db, accountId, await freezeMoment(db, accountId, query.as_of));
      return accepted(balanceAnswer(agentId, funds));
    }),
    listMoneyDays: plain(async ({ query, actor }) => accepted(await moneyDays({ ...query, actor }))),
    getLedger: plain(async ({ params: { agent_id: agentId }, query, now }) => {
      const account = await findAgentAccount(db, agentId);
      if (account === null && unknown(agentId)) return refused('no_such_agent');
      if (account === null)
        return accepted({ agent_id: agentId, entries: [], as_of: query.as_of ?? now.toISOString(), next_cursor: null });
      return readPage(db, account.accountId, {
        agentId,
        asOf: query.as_of ?? null,
        cursor: query.cursor,
        limit: query.limit,
      });
    }),
  } satisfies Partial<Handlers>;
}
