/**
 * The status that each route gives to each of six callers. The call has no key and no body, and names ada's objects or
 * objects that do not exist.
 * To add a route, write down the statuses that its permission should give, then run the test:
 *
 *   401, 403   refused: the caller is not signed in, or its role may not call the route, or the object is another agent's
 *   200        admitted and done
 *   400 …      admitted, and refused because a key, a body or the object is missing
 *   403*       admitted, and refused by the route itself: the caller signed in with a key, which has no session
 *   in         admitted; the status depends on earlier acts in the village
 */
export const COLUMNS = ['visitor', 'member', 'admin', 'own agent', 'other agent', 'operator'] as const;
export type Column = (typeof COLUMNS)[number];

/** Each line has the cells of its routes in the order of COLUMNS; a line without cells continues the one above. */
const ROWS = `
  200  200  200  200  200  200   getWorld getWorldMap listAgents getAgent getCapabilities listEntitlements
                                 getVillageFreeze getBalance getLoginOptions showModels getLogKey getLivez getReadyz
                                 getOpenApi getDocs
  401  403  400  400  403  403   moveAgent actAsAgent amendPersonality deleteScript
  401  403  400  403  403  403   awakenAgent suspendAgent rebootAgent undoPersonality putEntitlement
                                 putAgentEntitlement putAgentManifests createAgent updateAgent deleteAgent setVillageSetting setVillageRules recordDrill quarantineAgent liftQuarantine freezeAgent liftFreeze banAgent
                                 liftBan killAgent liftKill revokeAgentToken liftTokenRevocation freezeVillage
                                 liftVillageFreeze moderatePost openAuction cancelAuction createCredit approveCredit
                                 rejectCredit changeDifference importStatement createAccount changeAccount
                                 endAccountSessions banAccount liftAccountBan tryPolicy putModelPrices
                                 startSubscription finishSubscription putModelCredential testModel listOfferedModels createSchedule
                                 changeSchedule deleteSchedule
  401  200  200  403  403  403   listPersonality listSkills getAgentManifests listTurns getStanding getAllowance getPayPalTerms logOut
                                 getMe getAway listUnread listRuns getVillageTimeline listOffers listCalls listRepositoryMemories listAgentArtifacts
                                 listDeliverables listPermissions listAllowRules listAgentMemory listMyNeeds countWaitingWork
  401  200  200  200  403  403   listScripts getLedger listWorkers listAgentSessions getTimeline getModelUse
  401  404  404  404  403  403   getScript getBalanceProof
  401  403  403  400  403  403   saveScript adoptScript recordTurn reportCapabilities syncAgentMemory
  404  404  404  404  404  404   getEntitlement startOidc finishOidc getVillageCard getAgentCard
  401  400  400  400  400  403   createPost revisePost replyToPost reviseReply closePost resolvePost reopenPost
                                 flagPost
  200  200  200  200  200  403   listPosts
  404  404  404  404  404  403   getPost getPostDeliverable listPostRevisions listReplyRevisions
  401  200  200  403  403  403   listMoneyDays listNodeFigures getNodeFigures listAgentFigures getAgentFigures
  401  403  200  403  403  403   listCharacters listOfferedSkills listModeration listCredits getReconciliation listAccounts getPolicy listModelPrices
                                 forgetModelTexts listModelServers listModelCredentials deleteModelCredential listAudit listEgress
                                 getKeeping getVillageSettings getLastDrill
  401  403  403  200  403  403   listBoardNews getAgentConfig getPaidTime openWakes nextRun readJournal
  401  401* 401* 200  200  401*  exchangeAgentToken
  401  403  403  404  403  403   readSkillFiles
  401  400  400  403  403  403   rewardAgent penalizeAgent createPayPalOrder renameMe changePassword createMyKey markSeen callMcp callA2a
                                sendMailCode confirmMail changeMyMail addMyBrowser changeMyBrowser
                                createRun raiseRun cancelRun rerunRun acceptOffer refuseOffer getRepositoryMemory forgetRepositoryEntry readRunContext
                                 forgetRepositoryMemory answerPermission revokeAllowRule createSession endSession
                                 searchAgentMemory correctAgentMemory
                                 sendMessage pauseSession resumeSession addSessionPerson removeSessionPerson
  401  200  200  200  200  403   getQuote listPurchases listAuctions listSchedules
  401  403  400  400  400  403   buyCompute
  401  404  404  404  404  403   getAuction getSessionResults getSession listMessages openSessionStream getSchedule
                                 getLogProof
  401  403  403  400  400  403   placeBid startRun recordRunStep storeRunJournal publishRunWords renewRun settleRun
                                 waitRun parkRun pinSkills loadSkill askPermission performCall beginCall endCall noteMemories
                                 useRepositoryMemory keepArtifact readRunFile completeChat createMessage createResponse createCompletion countMessageTokens
                                 createEmbeddings
  400  400  400  400  400  400   returnFromPayPal bootstrapAccount logIn redeemCode leaveMail openLeaveMail
  409  409  409  409  409  409   receivePayPalWebhook
  401  403* 403* 403  403  403   listMySessions endMySession endMyOtherSessions listMyKeys revokeMyKey listMyChannels createChannelCode
                                 unlinkMyChannel getMyNotices forgetMyMail forgetMyBrowser
  401  403  409  403  403  403   getAgentSpec
  401  403  404  403  403  403   getAccount resetPassword listAccountSessions getModelText forgetModelText
  401  404  404  403  403  403   getRun getRunWorkflow listRunEvents streamRun listRunArtifacts listRunSources getArtifactContent
                                 getArtifactImage forgetArtifact getAccountName forgetAgentMemory
                                 pinAgentMemory
  401  403  403  200  200  403   listModels
  401  403  403  404  404  403   getModel
  401  403  403  403  403  200   openInternalStream listAgentBooks listScheduleBooks
  401  403  403  403  403  400   closeAgent claimCompute releaseCompute fireSchedule
  401  403  403  403  403  403   admitEgress keepEgressAttempts readEgressSecret permitEgress permitEgressHost
                                 withdrawEgress openBrokerStream
  in   in   in   in   in   in    getLogCheckpoint getLogTile getLogConsistency
  401  403  in   403  403  403   getLogEntries
`;

export const MATRIX: readonly (readonly [route: string, cells: string])[] = ROWS.trim()
  .split(/\n(?= {2}\S)/)
  .flatMap((row) => {
    const words = row.trim().split(/\s+/);
    const cells = words.slice(0, COLUMNS.length).join(' ');
    return words.slice(COLUMNS.length).map((route) => [route, cells] as const);
  });

/** Statuses for the broker. Every other route refuses it, or is open to anyone. */
export const BROKER: Readonly<Record<string, string>> = {
  admitEgress: '400',
  keepEgressAttempts: '400',
  readEgressSecret: '400',
  permitEgress: '400',
  permitEgressHost: '400',
  withdrawEgress: '400',
  openBrokerStream: '200',
};

/** Websockets on the listener for people; 101 is an open socket. */
export const SOCKETS: Readonly<Record<string, string>> = {
  '/ws/world': '101  101  101  101  101  101',
  '/ws/board': '101  101  101  101  101  403',
  '/ws/runs': '403  101  101  403  403  403',
};
