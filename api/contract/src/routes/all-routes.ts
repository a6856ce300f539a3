import type { RouteSpec } from '../route.ts';
import { actAsAgent } from './actions.ts';
import { awakenAgent, getAgent, listAgents, rebootAgent, suspendAgent } from './agents.ts';
import { listEntitlements } from './entitlements.ts';
import { getBalance, getLedger, penalizeAgent, rewardAgent } from './economy.ts';
import { closeAgent, openInternalStream } from './internal.ts';
import { moveAgent } from './moves.ts';
import {
  banAccount, changeAccount, createAccount, endAccountSessions, getAccount, liftAccountBan, listAccounts, listAccountSessions, resetPassword,
} from './people/accounts.ts';
import { changePassword, endMyOtherSessions, endMySession, getMe, listMySessions } from './people/me.ts';
import { bootstrapAccount, finishOidc, getLoginOptions, logIn, logOut, redeemCode, startOidc } from './people/sign-in.ts';
import { approveCredit, createCredit, listCredits, rejectCredit } from './payments/credits.ts';
import { receivePayPalWebhook } from './payments/paypal.ts';
import { changeDifference, getReconciliation, importStatement } from './payments/reconciliation.ts';
import { exchangeAgentToken, getAgentConfig, listTurns, openWakes, recordTurn } from './resident.ts';
import { fireSchedule } from './runs/firings.ts';
import { cancelRun, createRun, getRun, listRunEvents, listRuns, nextRun, recordRunStep, settleRun, startRun } from './runs/runs.ts';
import { changeSchedule, createSchedule, deleteSchedule, getSchedule, listSchedules } from './runs/schedules.ts';
import { getDocs, getLivez, getOpenApi, getReadyz } from './service.ts';
import { banAgent, freezeAgent, getStanding, killAgent, liftBan, liftFreeze, liftKill, liftQuarantine, liftTokenRevocation, quarantineAgent, revokeAgentToken } from './standing.ts';
import { getWorld, getWorldMap } from './world.ts';

/** Every route there is. Mount, OpenAPI, permission matrix and tests walk this list. */
export const ROUTES = [
  getWorld,
  getWorldMap,
  moveAgent,
  actAsAgent,
  listAgents,
  getAgent,
  awakenAgent,
  suspendAgent,
  rebootAgent,
  listTurns,
  listEntitlements,
  getStanding,
  quarantineAgent,
  liftQuarantine,
  freezeAgent,
  liftFreeze,
  banAgent,
  liftBan,
  killAgent,
  liftKill,
  revokeAgentToken,
  liftTokenRevocation,
  exchangeAgentToken,
  getAgentConfig,
  openWakes,
  recordTurn,
  rewardAgent,
  penalizeAgent,
  getBalance,
  getLedger,
  bootstrapAccount,
  logIn,
  logOut,
  getMe,
  createRun,
  listRuns,
  getRun,
  listRunEvents,
  cancelRun,
  nextRun,
  startRun,
  recordRunStep,
  settleRun,
  listSchedules,
  getSchedule,
  createSchedule,
  changeSchedule,
  deleteSchedule,
  openInternalStream,
  closeAgent,
  fireSchedule,
  getLivez,
  getReadyz,
  getOpenApi,
  getDocs,
] as const satisfies readonly RouteSpec[];
  getQuote,
  buyCompute,
  listPurchases,
  openAuction,
  listAuctions,
  getAuction,
  placeBid,
  cancelAuction,
  createCredit,
  listCredits,
  approveCredit,
  rejectCredit,
  getReconciliation,
  changeDifference,
  importStatement,
  receivePayPalWebhook,
  getLoginOptions,
