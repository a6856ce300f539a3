import type { AgentStanding, Measure, MeasureBody } from '@hamlet/contract';
import {
  announceStandings,
  isKnownAgent,
  liftMeasure,
  lockTiers,
  readMeasures,
  readTiers,
  revokeAgentSessions,
  standingOf,
  takeMeasure,
} from '@hamlet/store';
import type { Db, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import { inTx, plain, type Caller, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import type { Village } from '../village.ts';

type Asked = Caller & { readonly params: { readonly agent_id: string } };

async function shown(db: Db, agentId: string): Promise<AgentStanding> {
  const measures = await readMeasures(db, [agentId]);
  const [tier] = await readTiers(db, [agentId]);
  return {
    ...standingOf(agentId, tier?.balanceTier ?? null, measures),
    measures: measures.map(({ measure, reason, byRole, byId, since, expiresAt }) => ({
      measure,
      reason,
      by: { role: byRole, id: byId },
      since: since.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
    })),
  };
}

interface MeasureOf {
  readonly source: Village['source'];
  readonly measure: Measure;
}

/** Refuses a name that the village has never known. A measure against a known name without an Agent applies to its next life. */
async function refuseUnknown(source: Village['source'], tx: Db, agentId: string): Promise<Refused | null> {
  const known = source.get(agentId) !== null || (await isKnownAgent(tx, agentId));
  return known ? null : refused('no_such_agent');
}

async function take(
  tx: Tx,
  { source, measure }: MeasureOf,
  asked: Asked & { readonly body: MeasureBody },
): Promise<Outcome<AgentStanding>> {
  const agentId = asked.params.agent_id;
  const { reason, expires_at: end } = asked.body;
  const unknown = await refuseUnknown(source, tx, agentId);
  if (unknown !== null) return unknown;
  await lockTiers(tx, [agentId]);
  const expiresAt = end === undefined ? null : new Date(end);
  if (!(await takeMeasure(tx, { agentId, measure, reason, expiresAt }, asked.actor)))
    return refused('expiry_in_the_past', 'expires_at is in the past: write a later time, or leave it out');
  if (measure === 'revoke_token') await revokeAgentSessions(tx, agentId);
  await recordAct(tx, asked, { action: measure, object: agentId, detail: { reason, expires_at: end ?? null } });
  await announceStandings(tx, [agentId]);
  return accepted(await shown(tx, agentId));
}

async function lift(
  tx: Tx,
  { source, measure }: MeasureOf,
  asked: Asked & { readonly query: { readonly reason?: string | undefined } },
): Promise<Outcome<AgentStanding>> {
  const agentId = asked.params.agent_id;
  const { reason = null } = asked.query;
  const unknown = await refuseUnknown(source, tx, agentId);
  if (unknown !== null) return unknown;
  await lockTiers(tx, [agentId]);
  if (await liftMeasure(tx, { agentId, measure, reason }, asked.actor)) {
    await recordAct(tx, asked, { action: `lift.${measure}`, object: agentId, detail: { reason } });
    await announceStandings(tx, [agentId]);
  }
  return accepted(await shown(tx, agentId));
}

/** Routes for admins' measures against agents. Each measure is a row, an audit line and an event to the operator in one transaction. */
export function standingHandlers({ db, source }: Village) {
  return {
    getStanding: plain(
      async ({ params }) =>
        (await refuseUnknown(source, db, params.agent_id)) ?? accepted(await shown(db, params.agent_id)),
    ),
    quarantineAgent: inTx((request, tx) => take(tx, { source, measure: 'quarantine' }, request)),
    liftQuarantine: inTx((request, tx) => lift(tx, { source, measure: 'quarantine' }, request)),
    freezeAgent: inTx((request, tx) => take(tx, { source, measure: 'freeze' }, request)),
    liftFreeze: inTx((request, tx) => lift(tx, { source, measure: 'freeze' }, request)),
    banAgent: inTx((request, tx) => take(tx, { source, measure: 'ban' }, request)),
    liftBan: inTx((request, tx) => lift(tx, { source, measure: 'ban' }, request)),
    killAgent: inTx((request, tx) => take(tx, { source, measure: 'kill' }, request)),
    liftKill: inTx((request, tx) => lift(tx, { source, measure: 'kill' }, request)),
    revokeAgentToken: inTx((request, tx) => take(tx, { source, measure: 'revoke_token' }, request)),
    liftTokenRevocation: inTx((request, tx) => lift(tx, { source, measure: 'revoke_token' }, request)),
  } satisfies Partial<Handlers>;
}
