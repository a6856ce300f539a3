import { afterRefusedRenewal, holdAmount, isOrphan, upkeepOf } from '@hamlet/core';
import type { ClaimedAgent, Upkeep } from '@hamlet/core';
import { attempt, inTransaction, readBars } from '@hamlet/store';
import type { ClaimHold, ClaimRow, Db, Tx } from '@hamlet/store';
import type { AgentRecord, AgentSource } from '../agents/agent-source.ts';
import type { StandingKeeper } from '../standing/standing-keeper.ts';
import type { ClaimDesk, Held } from './claim-desk.ts';
import { endHold, spendable, takeHold } from './claim-money.ts';
import { heldOf } from './claim-view.ts';

export interface UpkeepPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'get'>;
  readonly standing: Pick<StandingKeeper, 'recompute'>;
  readonly desk: ClaimDesk;
}

/** What an agent's resource says of it, as far as money cares. Pure. */
export function claimedAgent(record: AgentRecord | null): ClaimedAgent | null {
  if (record === null) return null;
  const { uid, deleting, status } = record;
  return { uid, deleting, awake: status.power === 'Awake', tier: status.tier ?? null };
}

/** Whether an agent of that life is awake, with a pod or waiting for one. */
const isWanted = ({ source }: UpkeepPorts, { agentId, uid }: ClaimRow): boolean => {
  const agent = source.get(agentId);
  return agent?.uid === uid && agent.spec.power === 'Awake' && !agent.deleting;
};

/** What is due of a claim. */
function dueWork(ports: UpkeepPorts, row: ClaimRow, now: Date): Upkeep {
  const {
    source,
    desk: { terms },
  } = ports;
  const [nowMs, askedMs] = [now.getTime(), row.askedAt.getTime()];
  if (row.hold === null) return isWanted(ports, row) || nowMs - askedMs <= terms.settleInMs ? 'none' : 'end';
  if (isOrphan(heldOf(row, row.hold), { agent: claimedAgent(source.get(row.agentId)), askedMs, nowMs }, terms))
    return 'end';
  return upkeepOf({ untilMs: row.hold.until.getTime() }, { nowMs, told: row.hold.told }, terms);
}

/** The next hold in place of the one that runs out: both or neither. */
async function renew(
  tx: Tx,
  { desk, standing }: UpkeepPorts,
  { held, hold, row }: { readonly held: Held; readonly hold: ClaimHold; readonly row: ClaimRow },
): Promise<void> {
  const { agentId, now } = held;
  const perHour = desk.tiers().find(({ name }) => name === hold.tier)?.perHour ?? hold.perHour;
  // The tier has become free.
  if (perHour === 0n) return void (await desk.end(tx, held, null));
  const outcome = await attempt(tx, async () => {
    const moved = await endHold(tx, row, now);
    const pod = hold.pod === null ? null : { uid: hold.pod.uid, since: now };
    const taken = await takeHold(tx, {
      agentId,
      tier: hold.tier,
      perHour,
      pod,
      imageDigest: hold.imageDigest,
      traceparent: hold.traceparent,
      now,
      terms: desk.terms,
    });
    return taken.ok ? { ...taken, moved } : taken;
  });
  if (outcome.ok) {
    if (outcome.moved) await standing.recompute(tx, [agentId]);
    return void (await desk.write(tx, { ...row, hold: outcome.hold }));
  }
  if (afterRefusedRenewal({ untilMs: hold.until.getTime() }, now.getTime(), desk.terms) === 'none') return;
  const reason = outcome.reason === 'HoldRefused' ? 'HoldRefused' : 'NotPaid';
  const refused = await desk.refusedTier(tx, held, { tier: hold.tier, reason });
  await desk.write(tx, { ...row, hold: { ...hold, told: true }, refused });
}

/** Takes a refusal back once there is money for the tier: the operator asks for it again. */
async function forgive(
  tx: Tx,
  { desk }: UpkeepPorts,
  { held, row }: { readonly held: Held; readonly row: ClaimRow },
): Promise<void> {
  const tier = desk.tiers().find(({ name }) => name === row.refused?.tier);
  const isBarred =
    ((await readBars(tx, [held.agentId])).get(held.agentId)?.measure ?? 'revoke_token') !== 'revoke_token';
  if (
    tier !== undefined &&
    (isBarred || (await spendable(tx, held.agentId, held)) < holdAmount(tier.perHour, desk.terms))
  )
    return;
  if (row.hold === null) await desk.end(tx, held, null);
  else await desk.write(tx, { ...row, refused: null });
}

/** Does for one claim what is due of it by the clock of the database, if anything. Safe to do at any time, by any replica, any number of times. */
export async function keepClaim(ports: UpkeepPorts, agentId: string): Promise<void> {
  await inTransaction(ports.db, async (tx) => {
    const held = await ports.desk.hold(tx, agentId);
    const { row, now } = held;
    if (row === null) return;
    const due = dueWork(ports, row, now);
    // What could not be paid until its end is remembered while its agent wants to run.
    if (due === 'end')
      await ports.desk.end(tx, held, row.hold?.told === true && isWanted(ports, row) ? row.refused : null);
    else if (due === 'renew' && row.hold !== null) await renew(tx, ports, { held, hold: row.hold, row });
    else if (row.refused !== null) await forgive(tx, ports, { held, row });
  });
}
