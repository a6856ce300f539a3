import { type RawBuilder, type Selection, sql } from 'kysely';
import { type Measure, MEASURES, FLAG_OF_MEASURE, goodStanding, type Standing } from '@hamlet/contract';
import { type Db, isAhead, type Tx } from '../connection/database.ts';
import type { Row, Tables } from '../connection/tables.generated.ts';
import { addInternalEvents, ORDER_LOCK } from '../writes/internal-events.ts';

/** The standing from a tier and measures; its reason is that of the first measure. Pure. */
export function standingOf(
  agentId: string,
  balanceTier: string | null,
  measures: readonly Pick<MeasureRow, 'measure' | 'reason'>[],
): Standing {
  const flags = Object.fromEntries(measures.map(({ measure }) => [FLAG_OF_MEASURE[measure], true]));
  return { ...goodStanding(agentId, balanceTier), ...flags, reason: measures[0]?.reason ?? null };
}

/** The standing of every agent with a computed tier or a measure, or only of `agentIds`. */
export async function readStandings(db: Db, agentIds?: readonly string[]): Promise<readonly Standing[]> {
  const tiers = new Map((await readTiers(db, agentIds)).map((row) => [row.agentId, row.balanceTier]));
  const held = Map.groupBy(await readMeasures(db, agentIds), ({ agentId }) => agentId);
  const known = new Set([...tiers.keys(), ...held.keys()]);
  return [...known].map((agentId) => standingOf(agentId, tiers.get(agentId) ?? null, held.get(agentId) ?? []));
}

type HeldMeasure = Pick<MeasureRow, 'measure' | 'reason'>;

interface LockedStanding {
  readonly agentId: string;
  readonly balanceTier: string | null;
  readonly measures: readonly HeldMeasure[];
}

function byHardness(one: HeldMeasure, other: HeldMeasure): number {
  return MEASURES.indexOf(one.measure) - MEASURES.indexOf(other.measure);
}

/** Notifies the operator of standings. Call it last: it takes the lock that orders internal events. */
export async function announceStandings(tx: Tx, agentIds: readonly string[]): Promise<void> {
  if (agentIds.length === 0) return;
  const { rows } = await sql<LockedStanding>`
    select agent_id as "agentId", balance_tier as "balanceTier", measures from lock_standings(${ORDER_LOCK}, ${agentIds}::text[])
  `.execute(tx);
  await addInternalEvents(
    tx,
    'standing',
    rows.map(({ agentId, balanceTier, measures }) => standingOf(agentId, balanceTier, measures.toSorted(byHardness))),
  );
}

/** The tier of an agent's balance, as last computed; null if the balance reaches no tier. */
export type TierRow = Pick<Row<'agent_tier'>, 'agentId' | 'balanceTier'>;

export async function readTiers(db: Db, agentIds?: readonly string[]): Promise<readonly TierRow[]> {
  return db
    .selectFrom('agent_tier')
    .select(['agent_id as agentId', 'balance_tier as balanceTier'])
    .$if(agentIds !== undefined, (query) => query.where(sql<boolean>`agent_id = any(${agentIds})`))
    .execute();
}

/** A locked tier with the balance in micro-aiDollars, both after the writes of all earlier lock holders. */
interface LockedTier extends TierRow {
  readonly balance: bigint;
}

/** Locks and reads tiers in the order of ids; creates missing rows. Later reads see the writes of earlier lock holders. */
export async function lockTiers(tx: Tx, agentIds: readonly string[]): Promise<readonly LockedTier[]> {
  const { rows } = await sql<TierRow & { readonly balance: string }>`
    select agent_id as "agentId", balance_tier as "balanceTier", balance::text from lock_tiers(${agentIds}::text[])
  `.execute(tx);
  return rows.map((row) => ({ ...row, balance: BigInt(row.balance) }));
}

export async function writeTiers(tx: Tx, tiers: readonly TierRow[]): Promise<void> {
  const [ids, names] = [tiers.map(({ agentId }) => agentId), tiers.map(({ balanceTier }) => balanceTier)];
  await sql`
    update agent_tier set balance_tier = news.balance_tier, since = now()
    from unnest(${ids}::text[], ${names}::text[]) as news (agent_id, balance_tier) where agent_tier.agent_id = news.agent_id
  `.execute(tx);
}

interface MeasureActor {
  readonly role: string;
  readonly id: string;
}

const COLUMNS = [
  'agent_id as agentId',
  'measure',
  'reason',
  'by_role as byRole',
  'by_id as byId',
  'since',
  'expires_at as expiresAt',
] as const;
export type MeasureRow = Readonly<Selection<Tables, 'standing_measure', (typeof COLUMNS)[number]>>;

const EXPIRY: MeasureActor = { role: 'system', id: 'expiry' };
const EXPIRED_AT_ONCE = 500;

/** The measures in force against all agents or some; each agent's most severe first. */
export async function readMeasures(db: Db, agentIds?: readonly string[]): Promise<readonly MeasureRow[]> {
  return db
    .selectFrom('standing_measure')
    .select(COLUMNS)
    .where(HOLDS)
    .$if(agentIds !== undefined, (query) => query.where(sql<boolean>`agent_id = any(${agentIds})`))
    .orderBy('agent_id')
    .orderBy(HARDEST_FIRST)
    .execute();
}

/** Takes a measure, replacing one of the same kind. False if its end is not in the future by the database's clock. */
export async function takeMeasure(
  tx: Tx,
  taken: {
    readonly agentId: string;
    readonly measure: Measure;
    readonly reason: string;
    readonly expiresAt: Date | null;
  },
  by: MeasureActor,
): Promise<boolean> {
  const { agentId, measure, reason, expiresAt } = taken;
  if (expiresAt !== null && !(await isAhead(tx, expiresAt))) return false;
  await liftMeasure(tx, { agentId, measure, reason: 'replaced' }, by);
  await tx
    .insertInto('standing_measure')
    .values({ agent_id: agentId, measure, reason, by_role: by.role, by_id: by.id, expires_at: expiresAt })
    .execute();
  return true;
}

export async function liftMeasure(
  tx: Tx,
  lifted: { readonly agentId: string; readonly measure: Measure; readonly reason: string | null },
  by: MeasureActor,
): Promise<boolean> {
  const rows = await tx
    .updateTable('standing_measure')
    .set({ lifted_at: sql<Date>`now()`, lifted_by_role: by.role, lifted_by_id: by.id, lift_reason: lifted.reason })
    .where('agent_id', '=', lifted.agentId)
    .where('measure', '=', lifted.measure)
    .where('lifted_at', 'is', null)
    .returning('measure_id')
    .execute();
  return rows.length > 0;
}

/** Lifts at most 500 expired measures that no other transaction is lifting. Returns them. */
export async function liftExpired(tx: Tx): Promise<readonly { readonly agentId: string; readonly measure: Measure }[]> {
  return tx
    .updateTable('standing_measure')
    .set({ lifted_at: sql<Date>`now()`, lifted_by_role: EXPIRY.role, lifted_by_id: EXPIRY.id })
    .where('measure_id', 'in', (query) =>
      query
        .selectFrom('standing_measure')
        .select('measure_id')
        .where('lifted_at', 'is', null)
        .where('expires_at', '<=', sql<Date>`now()`)
        .orderBy('measure_id')
        .limit(EXPIRED_AT_ONCE)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['agent_id as agentId', 'measure'])
    .execute();
}

export async function isKnownAgent(db: Db, agentId: string): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (select from agent_life where agent_id = ${agentId}) or exists (select from standing_measure where agent_id = ${agentId}) as known
  `.execute(db);
  return rows[0]?.known === true;
}

export type AgentBar = Pick<MeasureRow, 'measure' | 'reason' | 'expiresAt'>;

export const HOLDS = sql<boolean>`lifted_at is null and (expires_at is null or expires_at > now())`;

/** Orders by {@link MEASURES}: the most severe first. */
const HARDEST_FIRST = sql`array_position(array[${sql.join(MEASURES.map((measure) => sql.lit(measure)))}], measure)`;

/** The columns of {@link hardestBar}; null without a measure. */
export interface BarColumns {
  readonly barMeasure: Measure | null;
  readonly barReason: string | null;
  readonly barExpiresAt: Date | null;
}

/** The most severe measure against the agent of a row, for a lateral join as `bar`. */
export const hardestBar = (agentId: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  (select measure, reason, expires_at from standing_measure where agent_id = ${agentId} and ${HOLDS}
    order by ${HARDEST_FIRST} limit 1) as bar`;

export const BAR_COLUMNS = sql`bar.measure as "barMeasure", bar.reason as "barReason", bar.expires_at as "barExpiresAt"`;

export function barOf({ barMeasure: measure, barReason, barExpiresAt: expiresAt }: BarColumns): AgentBar | null {
  return measure === null ? null : { measure, reason: barReason ?? '', expiresAt };
}

/** The most severe measure against each agent that has one. */
export async function readBars(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, AgentBar>> {
  if (agentIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('standing_measure')
    .distinctOn('agent_id')
    .select(['agent_id as agentId', 'measure', 'reason', 'expires_at as expiresAt'])
    .where(sql<boolean>`agent_id = any(${agentIds})`)
    .where(HOLDS)
    .orderBy('agent_id')
    .orderBy(HARDEST_FIRST)
    .execute();
  return new Map(rows.map(({ agentId, ...bar }) => [agentId, bar]));
}
