/** Compute claims on a real Postgres, with agents and Entitlements in memory. */
import assert from 'node:assert/strict';
import { ComputeClaim, EntitlementSpec, formatAiDollars, parseAiDollars, type ClaimBody } from '@hamlet/contract';
import { CLAIM_TERMS, type ClaimTerms } from '@hamlet/core';
import {
  checkLedger,
  checkTrade,
  findAgentAccount,
  inTransaction,
  openAgentAccount,
  openDatabase,
  postTransfer,
  readClaimFaults,
  readClaims,
  readFunds,
  readInternalEvents,
  villageAccount,
  writeClaim,
} from '@hamlet/store';
import type { ClaimRow, Db } from '@hamlet/store';
import { atEnd, untilEnd } from '@hamlet/test/env/at-end';
import { migratedPostgres, type TestPostgres } from '@hamlet/test/env/postgres';
import type { AgentRecord, AgentSource, EntitlementRecord } from '../../agents/agent-source.ts';
import { startBalanceTierSync, type BalanceTierSync } from '../../standing/balance-tier-sync.ts';
import { ComputeClaims, type ClaimAnswer } from '../compute/compute-claims.ts';
import { keepClaim } from '../compute/claim-upkeep.ts';

const EVENTS_MAX = 10_000;
const LIMITS = { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1_000 };

function tier(
  name: string,
  rank: number,
  {
    minBalance,
    perHour,
    perThousandTokens = '0',
  }: { readonly minBalance: string; readonly perHour: string; readonly perThousandTokens?: string },
): EntitlementRecord {
  return {
    name,
    spec: EntitlementSpec.parse({ rank, minBalance, limits: LIMITS, price: { perHour, perThousandTokens } }),
    status: {},
  };
}

/** tier-0 is free; an hour of tier-1 costs 1 aiDollar and one of tier-2 costs 10. */
export const TIERS: readonly EntitlementRecord[] = [
  tier('tier-0', 0, { minBalance: '0', perHour: '0' }),
  tier('tier-1', 1, { minBalance: '5', perHour: '1', perThousandTokens: '0.002' }),
  tier('tier-2', 2, { minBalance: '50', perHour: '10', perThousandTokens: '0.01' }),
];

/** Acts and reads for tests of claims. */
class PursePlay {
  readonly postgres: TestPostgres;
  readonly db: Db;
  readonly agents = new Map<string, AgentRecord>();
  entitlements: readonly EntitlementRecord[] = TIERS;
  readonly source: AgentSource;
  readonly tiers: BalanceTierSync;

  constructor(postgres: TestPostgres, db: Db) {
    this.postgres = postgres;
    this.db = db;
    this.source = {
      ready: true,
      list: () => [...this.agents.values()],
      get: (agentId: string) => this.agents.get(agentId) ?? null,
      entitlement: (name: string) => this.entitlements.find((each) => each.name === name)?.spec ?? null,
      entitlements: () => this.entitlements,
      onChange: () => undefined,
    } as Partial<AgentSource> as AgentSource;
    this.tiers = startBalanceTierSync({
      db,
      source: this.source,
      log: () => undefined,
      monotonicMs: () => performance.now(),
    });
  }

  computeClaims(terms: ClaimTerms = CLAIM_TERMS): ComputeClaims {
    return new ComputeClaims({ source: this.source, tiers: this.tiers, terms });
  }

  async give(agentId: string, aiDollars: string): Promise<void> {
    await inTransaction(this.db, async (tx) => {
      await openAgentAccount(tx, agentId);
      const account = await findAgentAccount(tx, agentId);
      if (account === null) throw new Error(`no account of ${agentId}`);
      const request = {
        payee: account.accountId,
        amount: parseAiDollars(aiDollars),
        key: crypto.randomUUID(),
        reason: 'reward',
        source: 'test',
        note: '',
        actor: { role: 'system', id: 'test' },
      } as const;
      if (request.amount > 0n) await postTransfer(tx, { ...request, payer: await villageAccount(tx, 'treasury') });
    });
  }

  says(
    agentId: string,
    {
      power = 'Awake',
      cycle = 1,
      tier: name = 'tier-1',
      uid = `${agentId}-uid`,
      wish = 'Awake',
    }: Partial<Record<'tier' | 'uid', string>> & {
      readonly power?: 'Awake' | 'Asleep';
      readonly wish?: 'Awake' | 'Asleep';
      readonly cycle?: number;
    } = {},
  ): void {
    const status = { power, cycle, tier: name, podName: `${agentId}-${cycle}`, nodeName: 'sparky1' };
    this.agents.set(agentId, {
      agentId,
      uid,
      createdAt: '2026-11-22T09:00:00Z',
      spec: { power: wish },
      status,
      deleting: false,
    } as Partial<AgentRecord> as AgentRecord);
  }

  /** Claims a tier, as the operator does. */
  ask(agentId: string, changes: Partial<ClaimBody> = {}, computeClaims = this.computeClaims()): Promise<ClaimAnswer> {
    const body = {
      agent_id: agentId,
      uid: `${agentId}-uid`,
      cycle: 1,
      tier: 'tier-1',
      pod_uid: null,
      image_digest: null,
      traceparent: '00-1',
      ...changes,
    };
    return inTransaction(this.db, (tx) => computeClaims.ask(tx, body));
  }

  /** Runs the village's upkeep for one claim. */
  keep(agentId: string, computeClaims = this.computeClaims()): Promise<void> {
    return keepClaim({ db: this.db, source: this.source, tiers: this.tiers, claims: computeClaims }, agentId);
  }

  async claim(agentId: string): Promise<ClaimRow | null> {
    return (await readClaims(this.db)).find((row) => row.agentId === agentId) ?? null;
  }

  /** Balance and held money, in aiDollars. */
  async funds(agentId: string): Promise<readonly [balance: string, held: string]> {
    const account = await findAgentAccount(this.db, agentId);
    if (account === null) throw new Error(`no account of ${agentId}`);
    const { balance, held } = await readFunds(this.db, account.accountId);
    return [formatAiDollars(balance), formatAiDollars(held)];
  }

  /** Makes a claim `ms` older. */
  async age(agentId: string, ms: number): Promise<void> {
    const row = await this.claim(agentId);
    if (row === null) throw new Error(`no claim of ${agentId}`);
    const before = (at: Date): Date => new Date(at.getTime() - ms);
    const hold =
      row.hold === null
        ? null
        : {
            ...row.hold,
            until: before(row.hold.until),
            pod: row.hold.pod === null ? null : { ...row.hold.pod, since: before(row.hold.pod.since) },
          };
    await inTransaction(this.db, (tx) => writeClaim(tx, { ...row, askedAt: before(row.askedAt), hold }));
  }

  /** The number of differences between holds and claims. */
  async faults(): Promise<number> {
    return (await readClaimFaults(this.db)).length;
  }

  /** Claim events of an agent for the operator, oldest first. */
  async reported(agentId: string): Promise<readonly ComputeClaim[]> {
    const events = await readInternalEvents(this.db, 0, EVENTS_MAX);
    return events.flatMap(({ event, data }) => {
      const claim = event === 'claim' ? ComputeClaim.parse(data) : null;
      return claim?.agent_id === agentId ? [claim] : [];
    });
  }
}

/** A play that lasts until the tests of the calling file have ended. At the end, its books must be right. */
export async function startPursePlay(): Promise<PursePlay> {
  const postgres = untilEnd(await migratedPostgres());
  const db = untilEnd(openDatabase({ url: postgres.appUrl, poolSize: 12, onError: () => undefined }));
  const play = new PursePlay(postgres, db);
  atEnd(async () => {
    await play.tiers.stop();
    await assertBooks(db);
    assert.equal(await play.faults(), 0);
  });
  return play;
}

/** Asserts that ledger and trade violate no rule. */
export async function assertBooks(db: Db): Promise<void> {
  const rules = [...(await checkLedger(db)), ...(await checkTrade(db))].filter(({ broken }) => broken > 0);
  assert.deepEqual(rules, []);
}
