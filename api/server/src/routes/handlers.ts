import type { Handlers } from '../http/handler.ts';
import { accountHandlers } from './account-handlers.ts';
import { agentHandlers } from './agent-handlers.ts';
import { internalHandlers } from './internal-handlers.ts';
import { economyHandlers } from '../economy/economy-handlers.ts';
import { firingHandlers } from '../runs/firing-handlers.ts';
import { runHandlers } from '../runs/run-handlers.ts';
import { workHandlers } from '../runs/work-handlers.ts';
import { scheduleHandlers } from '../schedules/schedule-handlers.ts';
import { residentHandlers } from './resident-handlers.ts';
import { serviceHandlers } from './service-handlers.ts';
import { standingHandlers } from '../standing/standing-handlers.ts';
import type { Services } from './services.ts';
import { worldHandlers } from './world-handlers.ts';

/** How every route of the contract is served. */
export function createHandlers(services: Services): Handlers {
  return {
import { creditHandlers } from '../payments/credit-handlers.ts';
import { webhookHandler } from '../payments/paypal/webhook-handler.ts';
import { reconciliationHandlers } from '../payments/reconciliation-handlers.ts';
    ...worldHandlers(services),
    ...agentHandlers(services),
    ...residentHandlers(services),
    ...standingHandlers(services),
    ...accountHandlers(services),
    ...internalHandlers(services),
    ...runHandlers(services),
    ...workHandlers(services),
    ...firingHandlers(services),
    ...scheduleHandlers(services),
    ...economyHandlers(services),
    ...serviceHandlers(services),
  };
}
    ...purchaseHandlers(services),
    ...auctionHandlers(services),
    ...creditHandlers(services),
    ...reconciliationHandlers(services),
    ...webhookHandler(services),
    ...claimHandlers(services),
    ...gatewayHandlers(services),
    ...auditHandlers(services),
    ...logHandlers(services),
    ...readHandlers(services),
    ...postHandlers(services),
    ...replyHandlers(services),
    ...flagHandlers(services),
    ...moderationHandlers(services),
    ...newsHandlers(services),
