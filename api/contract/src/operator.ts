/** Loaded schemas stay in memory: those of all routes weigh over 7 MB in a process that calls three. */
export { createClient, ProblemError } from './client/create-client.ts';
export { claimCompute, releaseCompute } from './routes/compute-claims.ts';
export {
  closeAgent,
  listAgentBooks,
  listScheduleBooks,
  openInternalStream,
  type AgentBooks,
} from './routes/internal.ts';
export { FIRING_AGENTS_MAX, fireSchedule } from './routes/runs/firings.ts';
