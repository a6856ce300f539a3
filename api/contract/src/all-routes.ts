import type { RouteSpec } from './http/route.ts';
import * as agents from './routes/agents.ts';
import * as agentSpecs from './routes/agents/agent-specs.ts';
import * as moderation from './routes/board/moderation.ts';
import * as posts from './routes/board/posts.ts';
import * as broker from './routes/broker.ts';
import * as capabilities from './routes/capabilities.ts';
import * as computeClaims from './routes/compute-claims.ts';
import * as economy from './routes/economy.ts';
import * as entitlements from './routes/entitlements.ts';
import * as figures from './routes/figures/figures.ts';
import * as internal from './routes/internal.ts';
import * as keeping from './routes/keeping/keeping.ts';
import * as log from './routes/log/log.ts';
import * as models from './routes/models.ts';
import * as modelCompletions from './routes/models/completions.ts';
import * as modelCredentials from './routes/models/credentials.ts';
import * as messages from './routes/models/messages.ts';
import * as modelPrices from './routes/models/prices.ts';
import * as modelResponses from './routes/models/responses.ts';
import * as modelServers from './routes/models/servers.ts';
import * as modelTexts from './routes/models/texts.ts';
import * as villageModels from './routes/models/village-models.ts';
import * as notices from './routes/notices/notices.ts';
import * as credits from './routes/payments/credits.ts';
import * as paypal from './routes/payments/paypal.ts';
import * as reconciliation from './routes/payments/reconciliation.ts';
import * as permissions from './routes/permissions.ts';
import * as personality from './routes/personality.ts';
import * as scripts from './script/script.ts';
import * as channels from './routes/channels/channels.ts';
import * as a2a from './routes/people/a2a.ts';
import * as apiKeys from './routes/people/api-keys.ts';
import * as accounts from './routes/people/accounts.ts';
import * as away from './routes/people/away.ts';
import * as mcp from './routes/people/mcp.ts';
import * as me from './routes/people/me.ts';
import * as needs from './routes/people/needs.ts';
import * as signIn from './routes/people/sign-in.ts';
import * as resident from './routes/resident.ts';
import * as artifacts from './routes/runs/artifacts.ts';
import * as firings from './routes/runs/firings.ts';
import * as handsCalls from './routes/runs/hands-calls.ts';
import * as journal from './routes/runs/journal.ts';
import * as runs from './routes/runs/runs.ts';
import * as policy from './routes/runs/policy.ts';
import * as agentMemory from './routes/runs/agent-memory.ts';
import * as repositoryMemory from './routes/runs/repository-memory.ts';
import * as runFiles from './routes/runs/run-files.ts';
import * as schedules from './routes/runs/schedules.ts';
import * as workflows from './routes/runs/workflow.ts';
import * as service from './routes/service.ts';
import * as workflow from './routes/runs/workflow.ts';
import * as sessions from './routes/sessions.ts';
import * as standing from './routes/standing.ts';
import * as timeline from './routes/timeline/timeline.ts';
import * as villageTimeline from './routes/timeline/village-timeline.ts';
import * as auctions from './routes/trade/auctions.ts';
import * as purchases from './routes/trade/purchases.ts';
import * as quote from './routes/trade/quote.ts';
import * as villageDrill from './routes/village/drill.ts';
import * as villageSettings from './routes/village/settings.ts';
import * as world from './routes/world.ts';

const GROUPS = [
  [world.getWorld, world.getWorldMap, world.moveAgent, world.actAsAgent],
  [agents.listAgents, agents.getAgent, agents.awakenAgent, agents.suspendAgent, agents.rebootAgent],
  [agentSpecs.createAgent, agentSpecs.getAgentSpec, agentSpecs.updateAgent, agentSpecs.deleteAgent],
  [agentSpecs.listCharacters],
  [personality.listPersonality, personality.amendPersonality, personality.undoPersonality],
  [scripts.listScripts, scripts.getScript, scripts.saveScript, scripts.adoptScript, scripts.deleteScript],
  [capabilities.getCapabilities, capabilities.listSkills, capabilities.listOfferedSkills],
  [workflow.getAgentManifests, workflow.putAgentManifests],
  [resident.listTurns],
  [entitlements.listEntitlements, entitlements.getEntitlement, entitlements.putEntitlement],
  [entitlements.putAgentEntitlement],
  [figures.listNodeFigures, figures.getNodeFigures, figures.listAgentFigures, figures.getAgentFigures],
  [standing.getStanding, standing.quarantineAgent, standing.liftQuarantine, standing.freezeAgent],
  [standing.liftFreeze, standing.banAgent, standing.liftBan, standing.killAgent, standing.liftKill],
  [standing.revokeAgentToken, standing.liftTokenRevocation, standing.getVillageFreeze, standing.freezeVillage],
  [standing.liftVillageFreeze],
  [posts.createPost, posts.listPosts, posts.getPost, posts.getPostDeliverable, posts.revisePost],
  [posts.listPostRevisions, posts.replyToPost, posts.reviseReply, posts.listReplyRevisions, posts.closePost],
  [posts.resolvePost, posts.reopenPost],
  [moderation.flagPost, moderation.moderatePost, moderation.listModeration],
  [posts.listBoardNews],
  [resident.exchangeAgentToken, resident.getAgentConfig, resident.getPaidTime, resident.openWakes],
  [resident.recordTurn],
  [capabilities.reportCapabilities, capabilities.readSkillFiles],
  [
    economy.rewardAgent,
    economy.penalizeAgent,
    economy.getAllowance,
    economy.getBalance,
    economy.getLedger,
    economy.listMoneyDays,
  ],
  [quote.getQuote],
  [purchases.buyCompute, purchases.listPurchases],
  [auctions.openAuction, auctions.listAuctions, auctions.getAuction, auctions.placeBid, auctions.cancelAuction],
  [credits.createCredit, credits.listCredits, credits.approveCredit, credits.rejectCredit],
  [reconciliation.getReconciliation, reconciliation.changeDifference, reconciliation.importStatement],
  [paypal.receivePayPalWebhook, paypal.getPayPalTerms, paypal.createPayPalOrder, paypal.returnFromPayPal],
  [signIn.getLoginOptions, signIn.bootstrapAccount, signIn.logIn, signIn.redeemCode, signIn.startOidc],
  [signIn.finishOidc, signIn.logOut],
  [me.getMe, me.renameMe, me.changePassword, me.listMySessions, me.endMySession, me.endMyOtherSessions],
  [apiKeys.listMyKeys, apiKeys.createMyKey, apiKeys.revokeMyKey],
  [channels.listMyChannels, channels.createChannelCode, channels.unlinkMyChannel],
  [mcp.callMcp],
  [a2a.getVillageCard, a2a.getAgentCard, a2a.callA2a],
  [accounts.listAccounts, accounts.getAccount, accounts.getAccountName, accounts.createAccount],
  [accounts.changeAccount],
  [accounts.resetPassword, accounts.listAccountSessions, accounts.endAccountSessions, accounts.banAccount],
  [accounts.liftAccountBan],
  [
    runs.createRun,
    runs.listRuns,
    runs.listWorkers,
    runs.getRun,
    runs.listRunEvents,
    runs.readRunContext,
    runs.streamRun,
    runs.raiseRun,
    runs.cancelRun,
  ],
  [workflows.getRunWorkflow, workflows.rerunRun],
  [runs.listOffers, runs.acceptOffer, runs.refuseOffer, runs.nextRun, runs.startRun, runs.waitRun, runs.parkRun],
  [journal.storeRunJournal, journal.publishRunWords, journal.readJournal],
  [runs.recordRunStep, runs.renewRun, runs.settleRun, runs.pinSkills, runs.loadSkill],
  [permissions.askPermission, permissions.performCall],
  [handsCalls.beginCall, handsCalls.endCall, handsCalls.noteMemories, handsCalls.listCalls],
  [repositoryMemory.useRepositoryMemory, repositoryMemory.listRepositoryMemories],
  [repositoryMemory.getRepositoryMemory, repositoryMemory.forgetRepositoryEntry],
  [repositoryMemory.forgetRepositoryMemory],
  [agentMemory.listAgentMemory, agentMemory.searchAgentMemory, agentMemory.pinAgentMemory],
  [agentMemory.correctAgentMemory, agentMemory.forgetAgentMemory, agentMemory.syncAgentMemory],
  [artifacts.keepArtifact, artifacts.listRunArtifacts, artifacts.listDeliverables, artifacts.listAgentArtifacts],
  [artifacts.listRunSources, runFiles.readRunFile],
  [artifacts.getSessionResults, artifacts.getArtifactContent, artifacts.getArtifactImage, artifacts.forgetArtifact],
  [permissions.listPermissions, permissions.answerPermission, permissions.listAllowRules],
  [permissions.revokeAllowRule],
  [policy.getPolicy, policy.tryPolicy, policy.setVillageRules],
  [sessions.createSession, sessions.listAgentSessions, sessions.getSession, sessions.endSession],
  [sessions.sendMessage, sessions.listMessages, sessions.pauseSession, sessions.resumeSession],
  [sessions.addSessionPerson, sessions.removeSessionPerson, sessions.openSessionStream],
  [timeline.getTimeline, villageTimeline.getVillageTimeline],
  [away.getAway, away.listUnread, away.markSeen],
  [needs.listMyNeeds, needs.countWaitingWork],
  [notices.getMyNotices, notices.sendMailCode, notices.confirmMail, notices.changeMyMail, notices.forgetMyMail],
  [notices.leaveMail, notices.openLeaveMail],
  [notices.addMyBrowser, notices.changeMyBrowser, notices.forgetMyBrowser],
  [models.completeChat],
  [messages.createMessage, messages.countMessageTokens],
  [modelResponses.createResponse, modelCompletions.createCompletion],
  [models.createEmbeddings, models.listModels, models.getModel, models.getModelUse],
  [villageModels.showModels, modelServers.listModelServers],
  [modelCredentials.putModelCredential, modelCredentials.listModelCredentials],
  [modelCredentials.deleteModelCredential, modelCredentials.listOfferedModels, modelCredentials.testModel],
  [modelPrices.listModelPrices, modelPrices.putModelPrices],
  [modelCredentials.startSubscription, modelCredentials.finishSubscription],
  [keeping.getKeeping],
  [modelTexts.getModelText, modelTexts.forgetModelText, modelTexts.forgetModelTexts],
  [schedules.listSchedules, schedules.getSchedule, schedules.createSchedule, schedules.changeSchedule],
  [schedules.deleteSchedule],
  [internal.openInternalStream, internal.closeAgent, internal.listAgentBooks, internal.listScheduleBooks],
  [computeClaims.claimCompute, computeClaims.releaseCompute],
  [firings.fireSchedule],
  [broker.admitEgress, broker.keepEgressAttempts, broker.readEgressSecret, broker.permitEgress],
  [broker.permitEgressHost, broker.withdrawEgress, broker.openBrokerStream],
  [log.listAudit, log.listEgress, log.getLogCheckpoint, log.getLogKey, log.getLogEntries, log.getLogTile],
  [log.getLogProof, log.getLogConsistency, log.getBalanceProof],
  [villageSettings.getVillageSettings, villageSettings.setVillageSetting],
  [villageDrill.recordDrill, villageDrill.getLastDrill],
  [service.getLivez, service.getReadyz, service.getOpenApi, service.getDocs],
] as const satisfies readonly (readonly RouteSpec[])[];

/** Routes in the order of the OpenAPI document. The server's mount, the reference and the tests walk this list. */
export const ROUTES: readonly (typeof GROUPS)[number][number][] = GROUPS.flat();
