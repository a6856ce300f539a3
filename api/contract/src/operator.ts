/** Exports only the operator's part of the contract: the schemas of all routes would take over 7 MB of memory. */
export { createClient, dataOf, ProblemError } from './client/create-client.ts';
export { claimCompute, releaseCompute } from './routes/compute-claims.ts';
export {
  closeAgent,
  listAgentBooks,
  listScheduleBooks,
  openInternalStream,
  type AgentBooks,
} from './routes/internal.ts';
export { FIRING_AGENTS_MAX, fireSchedule } from './routes/runs/firings.ts';
