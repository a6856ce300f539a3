import type { Handlers } from '../http/handler.ts';
import { accountChangeHandlers } from '../people/account-change-handlers.ts';
import { accountHandlers } from '../people/account-handlers.ts';
import { entitlementHandlers } from '../resource-writes/entitlement-handlers.ts';
import { meHandlers } from '../people/me-handlers.ts';
import { signInHandlers } from '../people/sign-in-handlers.ts';
import { agentHandlers } from './agent-handlers.ts';
import { gatewayHandlers } from '../gateway/gateway-handlers.ts';
import { flagHandlers } from '../board/flag-handlers.ts';
import { moderationHandlers } from '../board/moderation-handlers.ts';
import { readHandlers } from '../board/read-handlers.ts';
import { postHandlers } from '../board/post-handlers.ts';
import { internalHandlers } from './internal-handlers.ts';
import { auditHandlers } from '../audit/audit-handlers.ts';
import { logHandlers } from '../sealed-log/log-handlers.ts';
import { economyHandlers } from '../economy/economy-handlers.ts';
import { creditHandlers } from '../payments/credit-handlers.ts';
import { orderHandlers } from '../payments/paypal/order-handlers.ts';
import { webhookHandler } from '../payments/paypal/webhook-handler.ts';
import { reconciliationHandlers } from '../payments/reconciliation-handlers.ts';
import { firingHandlers } from '../runs/firing-handlers.ts';
import { runHandlers } from '../runs/run-handlers.ts';
import { workHandlers } from '../runs/work-handlers.ts';
import { scheduleHandlers } from '../schedules/schedule-handlers.ts';
import { residentHandlers } from './resident-handlers.ts';
import { serviceHandlers } from './service-handlers.ts';
import { claimHandlers } from '../spending/claim-handlers.ts';
import { standingHandlers } from '../standing/standing-handlers.ts';
import { freezeHandlers } from '../freeze/freeze-handlers.ts';
import { auctionHandlers } from '../trade/auction-handlers.ts';
import { purchaseHandlers } from '../trade/purchase-handlers.ts';
import type { Services } from './services.ts';
import { worldHandlers } from './world-handlers.ts';

/** How every route of the contract is served. */
export function createHandlers(services: Services): Handlers {
  return {
    ...worldHandlers(services),
    ...agentHandlers(services),
    ...residentHandlers(services),
    ...standingHandlers(services),
    ...freezeHandlers(services),
    ...accountHandlers(services),
    ...accountChangeHandlers(services),
    ...entitlementHandlers(services),
    ...meHandlers(services),
    ...signInHandlers(services),
    ...internalHandlers(services),
    ...runHandlers(services),
    ...workHandlers(services),
    ...firingHandlers(services),
    ...scheduleHandlers(services),
    ...economyHandlers(services),
    ...purchaseHandlers(services),
    ...auctionHandlers(services),
    ...creditHandlers(services),
    ...reconciliationHandlers(services),
    ...webhookHandler(services),
    ...orderHandlers(services),
    ...claimHandlers(services),
    ...gatewayHandlers(services),
    ...auditHandlers(services),
    ...logHandlers(services),
    ...readHandlers(services),
    ...postHandlers(services),
    ...flagHandlers(services),
    ...moderationHandlers(services),
    ...serviceHandlers(services),
  };
}
