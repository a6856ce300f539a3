import { NEED_KINDS, WARN_SHARE, type Need, type NeedKind, type RoutePermission } from '@hamlet/contract';
import { readAs, readBusyHours, readNearlySpent, readNeeds, type StoredNeedKind } from '@hamlet/store';
import { boughtLimits } from '../agents/bought-limits.ts';
import { limitsOf } from '../agents/describe-agent.ts';
import { viewerOf } from '../board/author-of.ts';
import type { Actor } from '../http/actor.ts';
import { runView } from '../runs/run-view.ts';
import type { Village } from '../village.ts';
import { blockedNeed } from './blocked-need.ts';
import { budgetNeed, hourNeed } from './limit-needs.ts';
import { needOf, PARKED_CODES, STOPPED_CODES } from './need-words.ts';
import { readableKinds } from '../timeline/readable-kinds.ts';

/** The permissions that show a need, or settle it. */
const PERMISSION_OF_KIND = {
  permission: 'runs:read',
  question: 'runs:read',
  result: 'runs:read',
  parked: 'runs:read',
  stopped: 'runs:read',
  budget: 'runs:read',
  hour: 'trade:buy',
  blocked: 'agent:lifecycle',
  failing: 'agent:lifecycle',
  moderation: 'board:moderate',
  difference: 'payments:manage',
  credit: 'payments:manage',
  mail: 'village:settings',
} as const satisfies Readonly<Record<NeedKind, RoutePermission>>;

const isStored = (kind: NeedKind): kind is StoredNeedKind => !['budget', 'hour', 'blocked'].includes(kind);

const rank = ({ kind }: Need): number => NEED_KINDS.indexOf(kind);

function inOrder(needs: readonly Need[]): readonly Need[] {
  return needs.toSorted(
    (left, right) =>
      rank(left) - rank(right) || left.since.localeCompare(right.since) || left.id.localeCompare(right.id),
  );
}

type Ports = Pick<Village, 'db' | 'source'>;

async function hourNeeds({ db, source }: Ports): Promise<readonly Need[]> {
  const tiers = source.entitlements().map(({ spec }) => spec.limits.tokensPerHour);
  const least = Math.min(...tiers.filter((tokens) => tokens > 0));
  if (!Number.isFinite(least)) return [];
  const hours = await readBusyHours(db, Math.ceil(least * WARN_SHARE));
  const raise = await boughtLimits(
    db,
    hours.map(({ agentId }) => agentId),
    () => performance.now(),
  );
  return hours.flatMap((hour) => {
    const tier = source.get(hour.agentId)?.status.tier;
    const limits = limitsOf(tier === undefined ? null : source.entitlement(tier), raise(hour.agentId));
    return hourNeed({ ...hour, limit: limits?.tokens_per_hour ?? 0 }, { isAdmin: true }) ?? [];
  });
}

/** Everything that waits for an actor and that it may read: by kind, within a kind oldest first. */
export async function needsOf(ports: Ports, actor: Actor): Promise<readonly Need[]> {
  const { db, source } = ports;
  const nowMs = Date.now();
  const reader = { id: actor.id, role: actor.role, isAdmin: actor.role === 'admin' };
  const kinds = readableKinds(actor, NEED_KINDS, PERMISSION_OF_KIND);
  const filter = { reader, kinds: kinds.filter(isStored), parkedCodes: PARKED_CODES, stoppedCodes: STOPPED_CODES };
  const read = await readAs(db, viewerOf(actor), async (tx) => ({
    rows: await readNeeds(tx, filter),
    runs: await readNearlySpent(tx, reader, WARN_SHARE),
  }));
  const blocked = kinds.includes('blocked') ? source.list().map((record) => blockedNeed(record, nowMs)) : [];
  return inOrder([
    ...read.rows.map((row) => needOf(row, reader)),
    ...read.runs.flatMap((row) => budgetNeed(runView(row), reader, nowMs) ?? []),
    ...(kinds.includes('hour') ? await hourNeeds(ports) : []),
    ...blocked.filter((need) => need !== null),
  ]);
}
