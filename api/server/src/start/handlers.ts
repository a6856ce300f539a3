import type { Handlers } from '../http/handler.ts';
import { awayHandlers } from '../attention/away-handlers.ts';
import { artifactHandlers } from '../artifacts/artifact-handlers.ts';
import { sourceHandlers } from '../artifacts/source-handlers.ts';
import type { Base } from './base.ts';
import type { Parts } from './parts.ts';
import { villageOf, type Village } from '../village.ts';
import { agentMemoryHandlers } from '../memory/agent-memory-handlers.ts';
import { memoryHandlers } from '../memory/memory-handlers.ts';
import { mcpHandler } from '../mcp/mcp-handler.ts';
import { accountChangeHandlers, accountHandlers } from '../people/account-change-handlers.ts';
import { entitlementHandlers } from '../resource-writes/entitlement-handlers.ts';
import { channelHandlers } from '../channels/channel-handlers.ts';
import { keyHandlers } from '../people/keys/key-handlers.ts';
import { meHandlers } from '../people/me-handlers.ts';
import { signInHandlers } from '../people/sign-in-handlers.ts';
import { scriptHandlers } from '../scripts/script-handlers.ts';
import { manifestHandlers } from '../agents/manifests/manifest-handlers.ts';
import { specHandlers } from '../agents/specs/spec-handlers.ts';
import { personalityHandlers } from '../agents/personality-handlers.ts';
import { capabilityHandlers } from '../capabilities/capability-handlers.ts';
import { skillHandlers } from '../capabilities/skill-handlers.ts';
import { agentHandlers } from '../agents/agent-handlers.ts';
import { credentialHandlers } from '../gateway/credentials/credential-handlers.ts';
import { priceHandlers } from '../gateway/credentials/price-handlers.ts';
import { textHandlers } from '../gateway/texts/text-handlers.ts';
import { serverHandlers } from '../gateway/servers/server-handlers.ts';
import { villageModelsHandler } from '../gateway/models/village-models-handler.ts';
import { subscriptionHandlers } from '../gateway/subscription/subscription-handlers.ts';
import { modelHandlers } from '../gateway/model-handlers.ts';
import { figuresHandlers } from '../figures/figures-handlers.ts';
import { flagHandlers } from '../board/flag-handlers.ts';
import { moderationHandlers } from '../board/moderation-handlers.ts';
import { postHandlers } from '../board/post-handlers.ts';
import { readHandlers } from '../board/read-handlers.ts';
import { internalHandlers } from '../operator/internal-handlers.ts';
import type { Authenticate } from '../http/actor.ts';
import { egressHandlers } from '../egress/egress-handlers.ts';
import { brokerHandlers } from '../egress/broker-handlers.ts';
import { a2aHandlers } from '../a2a/a2a-handlers.ts';
import { auditHandlers } from '../audit/audit-handlers.ts';
import { keepingHandlers } from '../keeping/keeping-handlers.ts';
import { logHandlers } from '../sealed-log/log-handlers.ts';
import { ledgerHandlers } from '../money/ledger/ledger-handlers.ts';
import { creditHandlers } from '../money/payments/credit-handlers.ts';
import { orderHandlers } from '../money/payments/order-handlers.ts';
import { webhookHandler } from '../money/payments/webhook-handler.ts';
import { reconciliationHandlers } from '../money/payments/reconciliation-handlers.ts';
import { permissionHandlers } from '../permissions/permission-handlers.ts';
import { trialHandlers } from '../permissions/trial/trial-handlers.ts';
import { offerHandlers } from '../money/offers/offer-handlers.ts';
import { firingHandlers } from '../runs/fire-schedule.ts';
import { contextHandlers } from '../runs/context/context-handlers.ts';
import { journalHandlers } from '../runs/journal-handlers.ts';
import { runHandlers } from '../runs/run-handlers.ts';
import { workHandlers } from '../runs/work-handlers.ts';
import { beginWorker } from '../runs/workers/begin-worker.ts';
import { workerHandlers } from '../runs/workers/worker-handlers.ts';
import { workflowHandlers } from '../runs/workflow/workflow-handlers.ts';
import { proposeSchedule } from '../schedules/propose-schedule.ts';
import { scheduleHandlers } from '../schedules/schedule-handlers.ts';
import { residentHandlers } from '../residents/resident-handlers.ts';
import { drillHandlers } from '../freeze/drill-handlers.ts';
import { settingHandlers } from '../settings/setting-handlers.ts';
import { serviceHandlers } from '../docs/service-handlers.ts';
import { claimHandlers } from '../money/compute/claim-handlers.ts';
import { noticeHandlers } from '../notices/notice-handlers.ts';
import { needHandlers } from '../attention/need-handlers.ts';
import { allSessionHandlers } from '../sessions/all-handlers.ts';
import { timelineHandler } from '../timeline/timeline-handler.ts';
import { villageTimelineHandler } from '../timeline/village-timeline.ts';
import { standingHandlers } from '../standing/standing-handlers.ts';
import { freezeHandlers } from '../freeze/freeze-handlers.ts';
import { auctionHandlers } from '../money/market/auction-handlers.ts';
import { purchaseHandlers } from '../money/market/purchase-handlers.ts';
import { worldHandlers } from '../world/world-handlers.ts';

/** Calls of runs use the same handlers as requests of clients. */
function directHandlers(village: Village) {
  return {
    ...worldHandlers(village),
    ...postHandlers(village),
    ...purchaseHandlers(village),
    ...auctionHandlers(village),
    ...personalityHandlers(village),
    ...scriptHandlers(village),
  };
}

/** Handlers whose routes other protocols request too, and those protocols. */
function talkHandlers({ counted: { limitActor } }: Base, village: Village) {
  const direct = directHandlers(village);
  const { db } = village;
  const handlers = {
    ...direct,
    ...agentHandlers(village),
    ...readHandlers(village),
    ...runHandlers(village),
    ...allSessionHandlers(village),
    ...timelineHandler(village),
    ...villageTimelineHandler(village),
    ...needHandlers(village),
    ...permissionHandlers({ ...village, beginWorker, direct: { ...direct, createSchedule: proposeSchedule(village) } }),
  };
  const ports = { db, handlers, limitActor };
  return { ...handlers, ...mcpHandler(ports), ...a2aHandlers(village, ports) };
}

export function composeHandlers(base: Base, parts: Parts, authenticate: Authenticate): Handlers {
  const village = villageOf(base, parts, authenticate);
  return {
    ...talkHandlers(base, village),
    ...trialHandlers(village),
    ...residentHandlers(village),
    ...standingHandlers(village),
    ...figuresHandlers(village),
    ...freezeHandlers(village),
    ...accountHandlers(village),
    ...accountChangeHandlers(village),
    ...entitlementHandlers(village),
    ...manifestHandlers(village),
    ...specHandlers(village),
    ...meHandlers(village),
    ...awayHandlers(village),
    ...keyHandlers(village),
    ...channelHandlers(village),
    ...noticeHandlers(village),
    ...signInHandlers(village),
    ...internalHandlers(village),
    ...workHandlers(village),
    ...workerHandlers(village),
    ...workflowHandlers(village),
    ...artifactHandlers(village),
    ...capabilityHandlers(village),
    ...skillHandlers(village),
    ...sourceHandlers(village),
    ...agentMemoryHandlers(village),
    ...memoryHandlers(village),
    ...offerHandlers(village),
    ...journalHandlers(village),
    ...contextHandlers(village),
    ...firingHandlers(village),
    ...scheduleHandlers(village),
    ...ledgerHandlers(village),
    ...creditHandlers(village),
    ...reconciliationHandlers(village),
    ...webhookHandler(village),
    ...orderHandlers(village),
    ...claimHandlers(village),
    ...modelHandlers(village),
    ...credentialHandlers(village),
    ...priceHandlers(village),
    ...subscriptionHandlers(village),
    ...textHandlers(village),
    ...villageModelsHandler(village),
    ...serverHandlers(village),
    ...brokerHandlers(village),
    ...egressHandlers(village),
    ...auditHandlers(village),
    ...keepingHandlers(village),
    ...logHandlers(village),
    ...flagHandlers(village),
    ...moderationHandlers(village),
    ...settingHandlers(village),
    ...drillHandlers(village),
    ...serviceHandlers(village),
  };
}
