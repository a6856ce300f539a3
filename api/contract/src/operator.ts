/**
 * What the operator needs of the contract, and no more: every schema that is loaded stays in memory, and those of all routes weigh
 * 7 MB and more in a process that calls three.
 */
export { createClient, ProblemError } from './client/create-client.ts';
export { listAgentBooks, listScheduleBooks, type AgentBooks } from './routes/books.ts';
export { closeAgent, openInternalStream } from './routes/internal.ts';
export { FIRING_AGENTS_MAX, fireSchedule } from './routes/runs/firings.ts';
export { claimCompute, releaseCompute } from './routes/spending/claims.ts';
