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
  villageAccount,
} from '@hamlet/store';
import type { Circumstance, Db, Tx, UnpostedUsage } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome } from '../http/outcome.ts';
import { refusalOfBar } from '../standing/bar-refusal.ts';
import type { StandingKeeper } from '../standing/standing-keeper.ts';
import { refusalOfHold } from './refusal-of-hold.ts';
import { postUsage } from './unposted-usage.ts';

/** A call of a model is over long before; what a gateway that died has held is free again after this time. */
const HOLD_LASTS_MS = 900_000;
/** Tokens of one reservation. */
export const TOKENS_MAX = 10_000_000;

/** Tokens that a call of a model may come to. */
export interface TokenRequest {
  readonly agentId: string;
  readonly model: string;
  /** The most that the call can use, prompt and completion together. */
  readonly tokens: number;
  /** Names the call for ever, 1 to 200 characters: asked again with the same tokens, it is the same reservation. */
  readonly key: string;
  /** The process that asks, as far as it is known. */
  readonly circumstance: Circumstance;
}

/** Money set aside for tokens. `holdId` is null where tokens are free at the agent's tier. */
export interface Reservation {
  readonly agentId: string;
  readonly holdId: string | null;
  /** Micro-aiDollars for a thousand tokens, as they were when it was made. */
  readonly perThousand: bigint;
  /** Micro-aiDollars that are held. */
  readonly held: bigint;
  readonly key: string;
  readonly circumstance: Circumstance;
}

/** Tokens are money: held before a call at the price of the agent's tier, posted by what was used. Without Postgres it throws: fail closed. */
export interface TokenMeter {
  /** Refuses with no_such_agent, account_closed, insufficient_funds, idempotency_key_reused, or what an admin holds against the agent. */
  reserve(request: TokenRequest): Promise<Outcome<Reservation>>;
  /** Posts the tokens that were used as `usage`, at most what was held; the rest is free again. Called twice, it posts once. While the village is frozen it notes them, and they are posted later. */
  settle(reservation: Reservation, usedTokens: number): Promise<void>;
  /** Nothing was used. After it was settled, or has expired, it changes nothing. */
  release(reservation: Reservation): Promise<void>;
}

export interface TokenMeterPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'get' | 'entitlement'>;
  readonly standing: Pick<StandingKeeper, 'recompute'>;
}

/** What a reservation comes to; null where nothing was held. Pure. */
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

export function createTokenMeter({ db, source, standing }: TokenMeterPorts): TokenMeter {
  /** An agent without a tier that can be read buys nothing. */
  function priceOf(agentId: string): bigint | null {
    const tier = source.get(agentId)?.status.tier;
    const spec = tier === undefined ? null : source.entitlement(tier);
    return spec === null ? null : parseAiDollars(spec.price.perThousandTokens);
  }

  async function hold(tx: Tx, request: TokenRequest, perThousand: bigint): Promise<Outcome<Reservation>> {
    const { agentId, model, tokens, key, circumstance } = request;
    const bar = (await readBars(tx, [agentId])).get(agentId);
    if (bar !== undefined) return refusalOfBar(agentId, bar);
    const held = tokenCost(tokens, perThousand);
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
      note: `tokens of ${model}`,
      actor: { role: 'agent', id: agentId },
      expiresAt: new Date(Date.now() + HOLD_LASTS_MS),
      about: circumstance,
    });
    if (!outcome.ok)
      return refusalOfHold(outcome.reason, { agentId, asked: held, funds: await readFunds(tx, account.accountId) });
    return accepted({ agentId, holdId: outcome.holdId, perThousand, held, key, circumstance });
  }

  /** Ends a reservation; whoever comes second finds it over. */
  async function end(reservation: Reservation, usedTokens: number): Promise<void> {
    const usage = usageOf(reservation, usedTokens);
    if (usage === null) return;
    try {
      await inTransaction(db, (tx) => postUsage(tx, usage, standing));
    } catch (error) {
      if (!isVillageFrozenError(error)) throw error;
      await noteUnpostedUsage(db, usage);
    }
  }

  return {
    reserve: async (request) => {
      const { agentId, tokens } = request;
      if (!Number.isSafeInteger(tokens) || tokens < 0 || tokens > TOKENS_MAX)
        throw new RangeError(`no number of tokens: ${tokens}`);
      if (source.get(agentId) === null) return refused('no_such_agent', `There is no agent ${agentId}`);
      const perThousand = priceOf(agentId);
      if (perThousand === null) return refused('unavailable', `The tier of ${agentId} is not known yet`);
      return inTransaction(db, (tx) => hold(tx, request, perThousand));
    },
    settle: async (reservation, usedTokens) => {
      if (!Number.isSafeInteger(usedTokens) || usedTokens < 0)
        throw new RangeError(`no number of tokens: ${usedTokens}`);
      await end(reservation, usedTokens);
    },
    release: (reservation) => end(reservation, 0),
  };
}
