import { parseAiDollars } from '@hamlet/contract';
import { tokenCost } from '@hamlet/core';
import {
  findAgentAccount,
  holdMoney,
  inTransaction,
  isVillageFrozenError,
  noteUnpostedUsage,
  readBars,
  readFunds,
  readUnpostedHolds,
  resolveHold,
  takeUnpostedUsage,
  villageAccount,
} from '@hamlet/store';
import type { Circumstance, Db, Tx, UnpostedUsage } from '@hamlet/store';
import type { AgentSource } from '../../agents/agent-source.ts';
import type { FreezeCache } from '../../freeze/freeze-cache.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { itemByItem } from '../../service/item-by-item.ts';
import { job, type Job } from '../../service/jobs.ts';
import type { Log } from '../../service/log.ts';
import { refusalOfBar } from '../../standing/bar-refusal.ts';
import type { BalanceTiers } from '../../standing/balance-tier-sync.ts';
import { refusalOfHold } from '../ledger/refusal-of-hold.ts';

export const TOKENS_MAX = 10_000_000;

export interface TokenRequest {
  readonly agentId: string;
  readonly model: string;
  readonly tokens: number;
  /** Identifies the call permanently, 1 to 200 characters: a repeat with the same key and tokens returns the same reservation. */
  readonly key: string;
  /** Longer than the call. If the gateway dies, the hold expires after this time. */
  readonly lastsMs: number;
  readonly circumstance: Circumstance;
}

export interface TokenQuote {
  /** Micro-aiDollars for a thousand tokens. */
  readonly perThousand: bigint;
  /** Micro-aiDollars for all tokens of the request. */
  readonly amount: bigint;
}

/** Money that is held for tokens. `holdId` is null if tokens are free at the agent's tier. */
export interface Reservation {
  readonly agentId: string;
  readonly holdId: string | null;
  /** Micro-aiDollars for a thousand tokens, at the time of the reservation. */
  readonly perThousand: bigint;
  /** Micro-aiDollars that are held. */
  readonly held: bigint;
  readonly key: string;
  readonly circumstance: Circumstance;
}

interface TokenMeterPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'get' | 'entitlement'>;
  readonly tiers: BalanceTiers;
}

function usageOf(
  { agentId, holdId, held, perThousand, key, circumstance }: Reservation,
  usedTokens: number,
): UnpostedUsage | null {
  if (holdId === null) return null;
  const cost = tokenCost(usedTokens, perThousand);
  const amount = cost > held ? held : cost;
  return {
    agentId,
    holdId,
    amount,
    key: `tokens ${agentId} ${key} ${amount === 0n ? 'unused' : 'used'}`,
    about: circumstance,
  };
}

type Tiers = TokenMeterPorts['source'];

/** Null if the API does not know the agent's tier: then the agent gets no tokens. */
function priceOf(source: Tiers, agentId: string): bigint | null {
  const tier = source.get(agentId)?.status.tier;
  const spec = tier === undefined ? null : source.entitlement(tier);
  return spec === null ? null : parseAiDollars(spec.price.perThousandTokens);
}

function quoteOf(source: Tiers, agentId: string, tokens: number): Outcome<TokenQuote> {
  if (!Number.isSafeInteger(tokens) || tokens < 0 || tokens > TOKENS_MAX)
    throw new RangeError(`invalid number of tokens: ${tokens}`);
  if (source.get(agentId) === null) return refused('no_such_agent');
  const perThousand = priceOf(source, agentId);
  return perThousand === null
    ? refused('unavailable', `The API does not know the tier of ${agentId} yet; try again`)
    : accepted({ perThousand, amount: tokenCost(tokens, perThousand) });
}

export const noteOf = (model: string): string => `tokens of ${model}`;

/** Charges for tokens: holds money before a call at the price of the agent's tier, and posts the used part. Throws without Postgres. */
export function createTokenMeter({ db, source, tiers }: TokenMeterPorts) {
  const quote = (agentId: string, tokens: number): Outcome<TokenQuote> => quoteOf(source, agentId, tokens);

  async function hold(
    tx: Tx,
    request: TokenRequest,
    { perThousand, amount: held }: TokenQuote,
  ): Promise<Outcome<Reservation>> {
    const { agentId, model, key, circumstance, lastsMs } = request;
    const bar = (await readBars(tx, [agentId])).get(agentId);
    if (bar !== undefined) return refusalOfBar(agentId, bar);
    if (held === 0n) return accepted({ agentId, holdId: null, perThousand, held, key, circumstance });
    const account = await findAgentAccount(tx, agentId);
    if (account === null) return refused('insufficient_funds', `${agentId} has no money yet`);
    const outcome = await holdMoney(tx, {
      payer: account.accountId,
      payee: await villageAccount(tx, 'compute'),
      amount: held,
      key: `tokens ${agentId} ${key}`,
      reason: 'usage',
      source: 'system',
      note: noteOf(model),
      actor: { role: 'agent', id: agentId },
      expiresAt: new Date(Date.now() + lastsMs),
      about: circumstance,
    });
    if (!outcome.ok)
      return refusalOfHold(outcome.reason, { agentId, asked: held, funds: await readFunds(tx, account.accountId) });
    return accepted({ agentId, holdId: outcome.holdId, perThousand, held, key, circumstance });
  }

  async function end(reservation: Reservation, usedTokens: number): Promise<void> {
    const usage = usageOf(reservation, usedTokens);
    if (usage === null) return;
    try {
      await inTransaction(db, (tx) => postUsage(tx, usage, tiers));
    } catch (error) {
      if (!isVillageFrozenError(error)) throw error;
      await noteUnpostedUsage(db, usage);
    }
  }

  return {
    /** Refuses with no_such_agent, or unavailable if the API does not know the agent's tier. Needs no Postgres. */
    quote,
    /** Refuses as `quote` does, and with account_closed, insufficient_funds, idempotency_key_reused, or the code of a measure. */
    reserve: async (request: TokenRequest) => {
      const quoted = quote(request.agentId, request.tokens);
      return quoted.ok ? inTransaction(db, (tx) => hold(tx, request, quoted.data)) : quoted;
    },
    /** Posts the used tokens, at most the hold; in a freeze it stores them for later. A second call changes nothing. */
    settle: async (reservation: Reservation, usedTokens: number) => {
      if (!Number.isSafeInteger(usedTokens) || usedTokens < 0)
        throw new RangeError(`invalid number of tokens: ${usedTokens}`);
      await end(reservation, usedTokens);
    },
    /** Frees the whole hold. Does nothing after `settle`, or after the hold has expired. */
    release: (reservation: Reservation) => end(reservation, 0),
  };
}

export type TokenMeter = ReturnType<typeof createTokenMeter>;

const EVERY_MS = 2_000;
const AT_ONCE = 200;
const ALREADY_OVER: ReadonlySet<string> = new Set(['hold_resolved', 'hold_expired']);

/** Posts the usage of a hold, or voids the hold if nothing was used. A hold that has already ended stays as it is. */
async function postUsage(
  tx: Tx,
  { agentId, holdId, amount, key, about }: UnpostedUsage,
  tiers: BalanceTiers,
): Promise<void> {
  const how = amount === 0n ? ({ outcome: 'voided' } as const) : ({ outcome: 'posted', amount } as const);
  const outcome = await resolveHold(tx, { holdId, ...how, key, about, actor: { role: 'agent', id: agentId } });
  if (!outcome.ok && !ALREADY_OVER.has(outcome.reason))
    throw new Error(`tokens of ${agentId} were not settled: ${outcome.reason}`);
  if (outcome.ok && outcome.transferId !== null && !outcome.replayed) await tiers.recompute(tx, [agentId]);
}

interface UnpostedUsagePorts {
  readonly db: Db;
  readonly tiers: BalanceTiers;
  readonly freeze: Pick<FreezeCache, 'frozen'>;
  readonly log: Log;
}

/** After a freeze, posts the usage recorded during it, each in its own transaction. */
export function unpostedUsageJob({ db, tiers, freeze, log }: UnpostedUsagePorts): Job {
  const each = itemByItem<string>({
    log,
    message: 'the usage of a hold was not posted; the API retries it',
    keyOf: (holdId) => holdId,
  });

  async function postOne(tx: Tx, holdId: string): Promise<boolean> {
    const usage = await takeUnpostedUsage(tx, holdId);
    if (usage !== null) await postUsage(tx, usage, tiers);
    return usage !== null;
  }

  async function postAll(): Promise<void> {
    if (freeze.frozen) return;
    try {
      await each(await readUnpostedHolds(db, AT_ONCE), (holdId) => inTransaction(db, (tx) => postOne(tx, holdId)));
    } catch (error) {
      if (!isVillageFrozenError(error)) throw error;
    }
  }
  return job({ name: 'unposted-usage', everyMs: EVERY_MS, run: postAll });
}
