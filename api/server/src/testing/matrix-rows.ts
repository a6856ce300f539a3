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

/** A row for each route, with cells in the order of COLUMNS. */
export const MATRIX: Readonly<Record<string, string>> = {
  // The world
  getWorld: '200  200  200  200  200  200',
  getWorldMap: '200  200  200  200  200  200',
  moveAgent: '401  403  400  400  403  403',
  actAsAgent: '401  403  400  400  403  403',

  // Agents, their lives and their tiers
  listAgents: '200  200  200  200  200  200',
  getAgent: '200  200  200  200  200  200',
  awakenAgent: '401  403  400  403  403  403',
  suspendAgent: '401  403  400  403  403  403',
  rebootAgent: '401  403  400  403  403  403',
  listPersonality: '401  200  200  403  403  403',
  amendPersonality: '401  403  400  400  403  403',
  undoPersonality: '401  403  400  403  403  403',
  getCapabilities: '200  200  200  200  200  200',
  listSkills: '401  200  200  403  403  403',
  listTurns: '401  200  200  403  403  403',
  listEntitlements: '200  200  200  200  200  200',
  getEntitlement: '404  404  404  404  404  404',
  putEntitlement: '401  403  400  403  403  403',
  putAgentEntitlement: '401  403  400  403  403  403',

  // Measures against agents
  getStanding: '401  200  200  403  403  403',
  quarantineAgent: '401  403  400  403  403  403',
  liftQuarantine: '401  403  400  403  403  403',
  freezeAgent: '401  403  400  403  403  403',
  liftFreeze: '401  403  400  403  403  403',
  banAgent: '401  403  400  403  403  403',
  liftBan: '401  403  400  403  403  403',
  killAgent: '401  403  400  403  403  403',
  liftKill: '401  403  400  403  403  403',
  revokeAgentToken: '401  403  400  403  403  403',
  liftTokenRevocation: '401  403  400  403  403  403',
  getVillageFreeze: '200  200  200  200  200  200',
  freezeVillage: '401  403  400  403  403  403',
  liftVillageFreeze: '401  403  400  403  403  403',

  // The board
  createPost: '401  400  400  400  400  403',
  listPosts: '200  200  200  200  200  403',
  getPost: '404  404  404  404  404  403',
  getPostDeliverable: '404  404  404  404  404  403',
  revisePost: '401  400  400  400  400  403',
  listPostRevisions: '404  404  404  404  404  403',
  replyToPost: '401  400  400  400  400  403',
  reviseReply: '401  400  400  400  400  403',
  listReplyRevisions: '404  404  404  404  404  403',
  closePost: '401  400  400  400  400  403',
  resolvePost: '401  400  400  400  400  403',
  reopenPost: '401  400  400  400  400  403',
  flagPost: '401  400  400  400  400  403',
  moderatePost: '401  403  400  403  403  403',
  listModeration: '401  403  200  403  403  403',
  listBoardNews: '401  403  403  200  403  403',

  // Routes of residents
  exchangeAgentToken: '401  401* 401* 200  200  401*',
  getAgentConfig: '401  403  403  200  403  403',
  getPaidTime: '401  403  403  200  403  403',
  openWakes: '401  403  403  200  403  403',
  recordTurn: '401  403  403  400  403  403',
  reportCapabilities: '401  403  403  400  403  403',
  readSkillFiles: '401  403  403  404  403  403',

  // Money
  rewardAgent: '401  400  400  403  403  403',
  penalizeAgent: '401  400  400  403  403  403',
  getAllowance: '401  200  200  403  403  403',
  getBalance: '200  200  200  200  200  200',
  getLedger: '401  200  200  200  403  403',
  getQuote: '401  200  200  200  200  403',
  buyCompute: '401  403  400  400  400  403',
  listPurchases: '401  200  200  200  200  403',
  openAuction: '401  403  400  403  403  403',
  listAuctions: '401  200  200  200  200  403',
  getAuction: '401  404  404  404  404  403',
  placeBid: '401  403  403  400  400  403',
  cancelAuction: '401  403  400  403  403  403',
  createCredit: '401  403  400  403  403  403',
  listCredits: '401  403  200  403  403  403',
  approveCredit: '401  403  400  403  403  403',
  rejectCredit: '401  403  400  403  403  403',
  getReconciliation: '401  403  200  403  403  403',
  changeDifference: '401  403  400  403  403  403',
  importStatement: '401  403  400  403  403  403',
  getPayPalTerms: '401  200  200  403  403  403',
  createPayPalOrder: '401  400  400  403  403  403',
  returnFromPayPal: '400  400  400  400  400  400',
  receivePayPalWebhook: '409  409  409  409  409  409',

  // People
  getLoginOptions: '200  200  200  200  200  200',
  bootstrapAccount: '400  400  400  400  400  400',
  logIn: '400  400  400  400  400  400',
  redeemCode: '400  400  400  400  400  400',
  startOidc: '404  404  404  404  404  404',
  finishOidc: '404  404  404  404  404  404',
  logOut: '401  200  200  403  403  403',
  getMe: '401  200  200  403  403  403',
  changePassword: '401  400  400  403  403  403',
  listMySessions: '401  403* 403* 403  403  403',
  endMySession: '401  403* 403* 403  403  403',
  endMyOtherSessions: '401  403* 403* 403  403  403',
  callMcp: '401  400  400  403  403  403',
  listAccounts: '401  403  200  403  403  403',
  getAccount: '401  403  404  403  403  403',
  createAccount: '401  403  400  403  403  403',
  changeAccount: '401  403  400  403  403  403',
  resetPassword: '401  403  404  403  403  403',
  listAccountSessions: '401  403  404  403  403  403',
  endAccountSessions: '401  403  400  403  403  403',
  banAccount: '401  403  400  403  403  403',
  liftAccountBan: '401  403  400  403  403  403',

  // Runs
  createRun: '401  400  400  403  403  403',
  listRuns: '401  200  200  403  403  403',
  getRun: '401  404  404  403  403  403',
  listRunEvents: '401  404  404  403  403  403',
  streamRun: '401  404  404  403  403  403',
  cancelRun: '401  400  400  403  403  403',
  listOffers: '401  200  200  403  403  403',
  acceptOffer: '401  400  400  403  403  403',
  refuseOffer: '401  400  400  403  403  403',
  nextRun: '401  403  403  200  403  403',
  startRun: '401  403  403  400  400  403',
  recordRunStep: '401  403  403  400  400  403',
  storeRunJournal: '401  403  403  400  400  403',
  publishRunWords: '401  403  403  400  400  403',
  readJournal: '401  403  403  200  403  403',
  renewRun: '401  403  403  400  400  403',
  settleRun: '401  403  403  400  400  403',
  waitRun: '401  403  403  400  400  403',
  pinSkills: '401  403  403  400  400  403',
  loadSkill: '401  403  403  400  400  403',
  askPermission: '401  403  403  400  400  403',
  performCall: '401  403  403  400  400  403',
  beginCall: '401  403  403  400  400  403',
  endCall: '401  403  403  400  400  403',
  noteMemories: '401  403  403  400  400  403',
  listCalls: '401  200  200  403  403  403',
  useRepositoryMemory: '401  403  403  400  400  403',
  listRepositoryMemories: '401  200  200  403  403  403',
  getRepositoryMemory: '401  400  400  403  403  403',
  forgetRepositoryEntry: '401  400  400  403  403  403',
  forgetRepositoryMemory: '401  400  400  403  403  403',
  keepArtifact: '401  403  403  400  400  403',
  listRunArtifacts: '401  404  404  403  403  403',
  listAgentArtifacts: '401  200  200  403  403  403',
  listRunSources: '401  404  404  403  403  403',
  getSessionResults: '401  404  404  404  404  403',
  getArtifactContent: '401  404  404  403  403  403',
  getArtifactImage: '401  404  404  403  403  403',
  forgetArtifact: '401  404  404  403  403  403',
  listWorkers: '401  200  200  200  403  403',
  listPermissions: '401  200  200  403  403  403',
  answerPermission: '401  400  400  403  403  403',
  listAllowRules: '401  200  200  403  403  403',
  revokeAllowRule: '401  400  400  403  403  403',
  getPolicy: '401  403  200  403  403  403',
  tryPolicy: '401  403  400  403  403  403',

  // Sessions
  createSession: '401  400  400  403  403  403',
  listAgentSessions: '401  200  200  200  403  403',
  getSession: '401  404  404  404  404  403',
  endSession: '401  400  400  403  403  403',
  sendMessage: '401  400  400  403  403  403',
  listMessages: '401  404  404  404  404  403',
  pauseSession: '401  400  400  403  403  403',
  resumeSession: '401  400  400  403  403  403',
  addSessionPerson: '401  400  400  403  403  403',
  removeSessionPerson: '401  400  400  403  403  403',
  openSessionStream: '401  404  404  404  404  403',
  getTimeline: '401  200  200  200  403  403',

  // Language models
  completeChat: '401  403  403  400  400  403',
  createMessage: '401  403  403  400  400  403',
  countMessageTokens: '401  403  403  400  400  403',
  createEmbeddings: '401  403  403  400  400  403',
  listModels: '401  403  403  200  200  403',
  getModel: '401  403  403  403* 403* 403',
  showModels: '200  200  200  200  200  200',
  listModelPrices: '401  403  200  403  403  403',
  getModelText: '401  403  404  403  403  403',
  forgetModelText: '401  403  404  403  403  403',
  forgetModelTexts: '401  403  200  403  403  403',
  putModelPrices: '401  403  400  403  403  403',
  startSubscription: '401  403  400  403  403  403',
  finishSubscription: '401  403  400  403  403  403',
  putModelCredential: '401  403  400  403  403  403',
  listModelCredentials: '401  403  200  403  403  403',
  deleteModelCredential: '401  403  200  403  403  403',
  testModel: '401  403  400  403  403  403',
  getModelUse: '401  200  200  200  403  403',

  // Schedules
  listSchedules: '401  200  200  200  200  403',
  getSchedule: '401  404  404  404  404  403',
  createSchedule: '401  403  400  403  403  403',
  changeSchedule: '401  403  400  403  403  403',
  deleteSchedule: '401  403  400  403  403  403',

  // The operator
  openInternalStream: '401  403  403  403  403  200',
  closeAgent: '401  403  403  403  403  400',
  listAgentBooks: '401  403  403  403  403  200',
  listScheduleBooks: '401  403  403  403  403  200',
  claimCompute: '401  403  403  403  403  400',
  releaseCompute: '401  403  403  403  403  400',
  fireSchedule: '401  403  403  403  403  400',

  // The broker, whose own cells are in BROKER
  admitEgress: '401  403  403  403  403  403',
  keepEgressAttempts: '401  403  403  403  403  403',
  readEgressSecret: '401  403  403  403  403  403',
  permitEgress: '401  403  403  403  403  403',
  withdrawEgress: '401  403  403  403  403  403',
  openBrokerStream: '401  403  403  403  403  403',

  // Audit and sealed log
  listAudit: '401  403  200  403  403  403',
  listEgress: '401  403  200  403  403  403',
  getLogCheckpoint: 'in   in   in   in   in   in',
  getLogKey: '200  200  200  200  200  200',
  getLogEntries: '401  403  in   403  403  403',
  getLogTile: 'in   in   in   in   in   in',
  getLogProof: '401  404  404  404  404  403',
  getLogConsistency: 'in   in   in   in   in   in',
  getBalanceProof: '401  404  404  404  403  403',

  // Service
  getLivez: '200  200  200  200  200  200',
  getReadyz: '200  200  200  200  200  200',
  getOpenApi: '200  200  200  200  200  200',
  getDocs: '200  200  200  200  200  200',
};

/** Statuses for the broker. Every other route refuses it, or is open to anyone. */
export const BROKER: Readonly<Record<string, string>> = {
  admitEgress: '400',
  keepEgressAttempts: '400',
  readEgressSecret: '400',
  permitEgress: '400',
  withdrawEgress: '400',
  openBrokerStream: '200',
};

/** Websockets on the listener for people; 101 is an open socket. */
export const SOCKETS: Readonly<Record<string, string>> = {
  '/ws/world': '101  101  101  101  101  101',
  '/ws/board': '101  101  101  101  101  403',
};
