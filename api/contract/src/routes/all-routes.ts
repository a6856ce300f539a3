import type { RouteSpec } from '../route.ts';
import { actAsAgent } from './actions.ts';
import { awakenAgent, getAgent, listAgents, rebootAgent, suspendAgent } from './agents.ts';
import { getEntitlement, listEntitlements, putAgentEntitlement, putEntitlement } from './entitlements.ts';
import { getAllowance, getBalance, getLedger, penalizeAgent, rewardAgent } from './economy.ts';
import { flagPost, listModeration, moderatePost } from './board/moderation.ts';
import { listBoardNews } from './board/news.ts';
import { closePost, createPost, getPost, listPostRevisions, listPosts, listReplyRevisions, reopenPost, replyToPost, resolvePost, revisePost, reviseReply } from './board/posts.ts';
import { listAgentBooks, listScheduleBooks } from './books.ts';
import { closeAgent, openInternalStream } from './internal.ts';
import { completeChat, getModelUse, listModels } from './models.ts';
import { listAudit } from './log/audit.ts';
import { getBalanceProof, getLogCheckpoint, getLogConsistency, getLogEntries, getLogKey, getLogProof, getLogTile } from './log/log.ts';
import { moveAgent } from './moves.ts';
import {
  banAccount, changeAccount, createAccount, endAccountSessions, getAccount, liftAccountBan, listAccounts, listAccountSessions, resetPassword,
} from './people/accounts.ts';
import { changePassword, endMyOtherSessions, endMySession, getMe, listMySessions } from './people/me.ts';
import { bootstrapAccount, finishOidc, getLoginOptions, logIn, logOut, redeemCode, startOidc } from './people/sign-in.ts';
import { approveCredit, createCredit, listCredits, rejectCredit } from './payments/credits.ts';
import { receivePayPalWebhook } from './payments/paypal.ts';
import { createPayPalOrder, getPayPalTerms, returnFromPayPal } from './payments/paypal-orders.ts';
import { changeDifference, getReconciliation, importStatement } from './payments/reconciliation.ts';
import { exchangeAgentToken, getAgentConfig, getPaidTime, listTurns, openWakes, recordTurn } from './resident.ts';
import { fireSchedule } from './runs/firings.ts';
import { cancelRun, createRun, getRun, listRunEvents, listRuns, nextRun, recordRunStep, renewRun, settleRun, startRun } from './runs/runs.ts';
import { changeSchedule, createSchedule, deleteSchedule, getSchedule, listSchedules } from './runs/schedules.ts';
import { claimCompute, releaseCompute } from './spending/claims.ts';
import { cancelAuction, getAuction, listAuctions, openAuction, placeBid } from './trade/auctions.ts';
import { buyCompute, listPurchases } from './trade/purchases.ts';
import { getQuote } from './trade/quote.ts';
import { getDocs, getLivez, getOpenApi, getReadyz } from './service.ts';
import { banAgent, freezeAgent, getStanding, killAgent, liftBan, liftFreeze, liftKill, liftQuarantine, liftTokenRevocation, quarantineAgent, revokeAgentToken } from './standing.ts';
import { freezeVillage, getVillageFreeze, liftVillageFreeze } from './village-freeze.ts';
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
  getEntitlement,
  putEntitlement,
  putAgentEntitlement,
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
  getVillageFreeze,
  freezeVillage,
  liftVillageFreeze,
  createPost,
  listPosts,
  getPost,
  revisePost,
  listPostRevisions,
  replyToPost,
  reviseReply,
  listReplyRevisions,
  closePost,
  resolvePost,
  reopenPost,
  flagPost,
  moderatePost,
  listModeration,
  listBoardNews,
  exchangeAgentToken,
  getAgentConfig,
  getPaidTime,
  openWakes,
  recordTurn,
  rewardAgent,
  penalizeAgent,
  getAllowance,
  getBalance,
  getLedger,
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
  getPayPalTerms,
  createPayPalOrder,
  returnFromPayPal,
  getLoginOptions,
  bootstrapAccount,
  logIn,
  redeemCode,
  startOidc,
  finishOidc,
  logOut,
  getMe,
  changePassword,
  listMySessions,
  endMySession,
  endMyOtherSessions,
  listAccounts,
  getAccount,
  createAccount,
  changeAccount,
  resetPassword,
  listAccountSessions,
  endAccountSessions,
  banAccount,
  liftAccountBan,
  createRun,
  listRuns,
  getRun,
  listRunEvents,
  cancelRun,
  nextRun,
  startRun,
  recordRunStep,
  renewRun,
  settleRun,
  completeChat,
  listModels,
  getModelUse,
  listSchedules,
  getSchedule,
  createSchedule,
  changeSchedule,
  deleteSchedule,
  openInternalStream,
  closeAgent,
  listAgentBooks,
  listScheduleBooks,
  claimCompute,
  releaseCompute,
  fireSchedule,
  listAudit,
  getLogCheckpoint,
  getLogKey,
  getLogEntries,
  getLogTile,
  getLogProof,
  getLogConsistency,
  getBalanceProof,
  getLivez,
  getReadyz,
  getOpenApi,
  getDocs,
] as const satisfies readonly RouteSpec[];
