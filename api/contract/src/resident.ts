/**
 * What a resident needs of the contract, and no more: every schema that is loaded stays in memory, in as many processes as there are agents.
 */
export { createClient, ProblemError } from './client/create-client.ts';
export { getPost, createPost, replyToPost, resolvePost } from './routes/board/posts.ts';
export { listBoardNews } from './routes/board/news.ts';
export { actAsAgent } from './routes/actions.ts';
export { getAgent } from './routes/agents.ts';
export { getLedger } from './routes/economy.ts';
export { completeChat, listModels } from './routes/models.ts';
export { moveAgent } from './routes/moves.ts';
export { exchangeAgentToken, getAgentConfig, getPaidTime, openWakes, recordTurn } from './routes/resident.ts';
export { formatAiDollars, parseAiDollars } from './money.ts';
export { listAuctions, placeBid } from './routes/trade/auctions.ts';
export { buyCompute } from './routes/trade/purchases.ts';
export { getQuote } from './routes/trade/quote.ts';
export { nextRun, recordRunStep, renewRun, settleRun, startRun } from './routes/runs/runs.ts';
export { getWorld } from './routes/world.ts';
export { AROUND_MAX_TILES } from './world/constants.ts';
export { RUN_REASON_MAX_CHARS, RUN_RENEW_EVERY_S, RUN_STEPS_MAX, RUN_SUMMARY_MAX_CHARS } from './run.ts';
export * from './world/constants.ts';
