import { ping } from '@hamlet/store';
import type { Handlers } from '../http/handler.ts';
import { createReadiness } from '../service/readiness.ts';
import { artifactHandlers } from '../artifacts/artifact-handlers.ts';
import { sourceHandlers } from '../artifacts/source-handlers.ts';
import { claimView } from '../money/compute/claim-view.ts';
import type { Base } from './base.ts';
import type { Parts } from './parts.ts';
import { memoryHandlers } from '../memory/memory-handlers.ts';
import { mcpHandler } from '../mcp/mcp-handler.ts';
import { accountChangeHandlers, accountHandlers } from '../people/account-change-handlers.ts';
import { entitlementHandlers } from '../resource-writes/entitlement-handlers.ts';
import { meHandlers } from '../people/me-handlers.ts';
import { signInHandlers } from '../people/sign-in-handlers.ts';
import { scriptHandlers } from '../scripts/script-handlers.ts';
import { personalityHandlers } from '../agents/personality-handlers.ts';
import { capabilityHandlers } from '../capabilities/capability-handlers.ts';
import { skillHandlers } from '../capabilities/skill-handlers.ts';
import { agentHandlers } from '../agents/agent-handlers.ts';
import { credentialHandlers } from '../gateway/credentials/credential-handlers.ts';
import { priceHandlers } from '../gateway/credentials/price-handlers.ts';
import { textHandlers } from '../gateway/texts/text-handlers.ts';
import { villageModelsHandler } from '../gateway/models/village-models-handler.ts';
import { messageHandlers } from '../gateway/conversations/message-handlers.ts';
import { subscriptionHandlers } from '../gateway/subscription/subscription-handlers.ts';
import { gatewayHandlers } from '../gateway/gateway-handlers.ts';
import { flagHandlers } from '../board/flag-handlers.ts';
import { moderationHandlers } from '../board/moderation-handlers.ts';
import { postHandlers } from '../board/post-handlers.ts';
import { readHandlers } from '../board/read-handlers.ts';
import { internalHandlers } from '../operator/internal-handlers.ts';
import type { Authenticate } from '../http/actor.ts';
import { egressHandlers } from '../egress/egress-handlers.ts';
import { brokerHandlers } from '../egress/broker-handlers.ts';
import { auditHandlers } from '../audit/audit-handlers.ts';
import { logHandlers } from '../sealed-log/log-handlers.ts';
import { ledgerHandlers } from '../money/ledger/ledger-handlers.ts';
import { creditHandlers } from '../money/payments/credit-handlers.ts';
import { orderHandlers } from '../money/payments/order-handlers.ts';
import { webhookHandler } from '../money/payments/webhook-handler.ts';
import { reconciliationHandlers } from '../money/payments/reconciliation-handlers.ts';
import { policyOfRun, type PolicyColumns } from '../permissions/agent-policy.ts';
import { permissionHandlers } from '../permissions/permission-handlers.ts';
import { createReadCommand } from '../permissions/shell/read-command.ts';
import { trialHandlers } from '../permissions/trial/trial-handlers.ts';
import { offerHandlers } from '../money/offers/offer-handlers.ts';
import { placeOfferWith } from '../money/offers/run-offers.ts';
import { firingHandlers } from '../runs/firing-handlers.ts';
import { journalHandlers } from '../runs/journal-handlers.ts';
import { runHandlers } from '../runs/run-handlers.ts';
import { workHandlers } from '../runs/work-handlers.ts';
import { beginWorker } from '../runs/workers/begin-worker.ts';
import { workerHandlers } from '../runs/workers/worker-handlers.ts';
import { proposeSchedule } from '../schedules/propose-schedule.ts';
import { scheduleHandlers } from '../schedules/schedule-handlers.ts';
import { residentHandlers } from '../residents/resident-handlers.ts';
import { serviceHandlers } from '../docs/service-handlers.ts';
import { claimHandlers } from '../money/compute/claim-handlers.ts';
import { allSessionHandlers } from '../sessions/all-handlers.ts';
import { standingHandlers } from '../standing/standing-handlers.ts';
import { freezeHandlers } from '../freeze/freeze-handlers.ts';
import { auctionHandlers } from '../money/market/auction-handlers.ts';
import { purchaseHandlers } from '../money/market/purchase-handlers.ts';
import { worldHandlers } from '../world/world-handlers.ts';

/** The checks behind /readyz. Postgres and Redis may be down: the map stays readable without them. */
function readinessOf({ shared: { source, db, link } }: Base): ReturnType<typeof createReadiness> {
  return createReadiness([
    { name: 'world', required: true, check: () => true },
    { name: 'agents', required: true, check: () => source.ready },
    { name: 'postgres', required: false, check: () => ping(db).then(() => true) },
    { name: 'redis', required: false, check: () => link.ping().then(() => true) },
  ]);
}

function portsOf(base: Base, parts: Parts) {
  const { facts, world, money, gateway, people, policyOf, watch, deltas, runStreams, sessions, egress } = parts;
  const { board } = parts.board;
  return {
    ...base.shared,
    ...base.agents,
    ...money.services,
    limits: base.counted.limits,
    limitReached: base.counted.limitReached,
    gateway,
    board,
    nudgeBoard: board.nudge,
    refuseNote: board.refuseNote,
    hub: facts.hub,
    feed: facts.feed,
    tiers: facts.tiers,
    readiness: readinessOf(base),
    reader: world.reader,
    mapAnswer: world.mapAnswer,
    people: people.people,
    policyOf,
    classesOf: parts.classesOf,
    villageRules: base.shared.config.toolRules,
    policyOfRun: (run: PolicyColumns) => policyOfRun(policyOf, run),
    readCommand: createReadCommand(),
    watch,
    deltas,
    runStreams,
    claimView,
    ...sessions,
    ...egress,
    placeOffer: placeOfferWith(money.services),
  };
}

export function composeHandlers(base: Base, parts: Parts, authenticate: Authenticate): Handlers {
  const ports = { ...portsOf(base, parts), authenticate, standing: parts.facts.standing };
  /** Calls of runs go through the same handlers as requests of clients. */
  const direct = {
    ...worldHandlers(ports),
    ...postHandlers(ports),
    ...purchaseHandlers(ports),
    ...auctionHandlers(ports),
    ...personalityHandlers(ports),
    ...scriptHandlers(ports),
  };
  const people = { ...direct, ...agentHandlers(ports), ...readHandlers(ports), ...runHandlers(ports) };
  return {
    ...people,
    ...mcpHandler({ ...ports, handlers: people, limitActor: base.counted.limitActor }),
    ...permissionHandlers({ ...ports, beginWorker, direct: { ...direct, createSchedule: proposeSchedule(ports) } }),
    ...trialHandlers(ports),
    ...residentHandlers(ports),
    ...standingHandlers(ports),
    ...freezeHandlers(ports),
    ...accountHandlers(ports),
    ...accountChangeHandlers(ports),
    ...entitlementHandlers(ports),
    ...meHandlers(ports),
    ...signInHandlers(ports),
    ...internalHandlers(ports),
    ...workHandlers(ports),
    ...workerHandlers(ports),
    ...artifactHandlers(ports),
    ...capabilityHandlers(ports),
    ...skillHandlers(ports),
    ...sourceHandlers(ports),
    ...memoryHandlers(ports),
    ...offerHandlers(ports),
    ...journalHandlers(ports),
    ...firingHandlers(ports),
    ...scheduleHandlers(ports),
    ...allSessionHandlers(ports),
    ...ledgerHandlers(ports),
    ...creditHandlers(ports),
    ...reconciliationHandlers(ports),
    ...webhookHandler(ports),
    ...orderHandlers(ports),
    ...claimHandlers(ports),
    ...gatewayHandlers(ports),
    ...messageHandlers(ports),
    ...credentialHandlers(ports),
    ...priceHandlers(ports),
    ...subscriptionHandlers(ports),
    ...textHandlers(ports),
    ...villageModelsHandler(ports),
    ...brokerHandlers(ports),
    ...egressHandlers(ports),
    ...auditHandlers(ports),
    ...logHandlers(ports),
    ...flagHandlers(ports),
    ...moderationHandlers(ports),
    ...serviceHandlers(ports),
  };
}
