import { z } from 'zod';
import { OPENED_PAGES_MAX, OpenedPage } from './opened-page.ts';
import { CallId, CallOutcome } from './permission.ts';
import { AgentId, Time } from './scalars.ts';

/** Longest text of a command or of one stream in the log of a call. */
export const CALL_LOG_TEXT_MAX_CHARS = 40_000;
const LogText = z.string().max(CALL_LOG_TEXT_MAX_CHARS);
/** Lines about refusals of the broker in the log of a call; the last one may count others. */
export const REFUSALS_MAX = 6;
export const REFUSAL_MAX_CHARS = 320;
const Count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** The facts about a call as the pod claims them. A long text loses its middle. */
export const CallReport = z.strictObject({
  command: LogText.optional(),
  cwd: z.string().max(1_024).optional(),
  stdout: LogText.optional(),
  stderr: LogText.optional(),
  bytes: Count.optional().describe('Bytes of both streams, or of the file'),
  exit: z.int().nullable().optional().describe('Exit code; null if a signal ended it'),
  duration_ms: Count.optional(),
  path: z.string().max(4_096).optional().describe('File that was read or changed'),
  diff: LogText.optional().describe('Change of the file, as a unified diff'),
  change: Count.optional().describe("Number of the change in the agent's log of changes"),
  opened: z.array(OpenedPage).max(OPENED_PAGES_MAX).optional().describe('Pages that it opened in the network'),
  refused: z
    .array(z.string().max(REFUSAL_MAX_CHARS))
    .max(REFUSALS_MAX)
    .optional()
    .describe('Refusals of the broker while it ran, with code and fix, as the proxy of the pod saw them'),
  undoes: Count.optional().describe('Number of the earlier change that this one undid'),
});
export type CallReport = z.infer<typeof CallReport>;

/** `unknown`: its run has ended or has another attempt, and no end was reported. */
export const HandsCallState = z.enum(['begun', 'ended', 'unknown']);
export type HandsCallState = z.infer<typeof HandsCallState>;

/** A call in the hands of an agent. The API saw its start; the agent claims its end. */
export const HandsCall = z.strictObject({
  run_id: z.uuid(),
  call_id: CallId,
  agent_id: AgentId,
  tool: z.string(),
  state: HandsCallState,
  begun_at: Time.describe('Seen by the API'),
  ended_at: Time.nullable(),
  outcome: CallOutcome.pick({ kind: true, code: true }).nullable().describe('Claimed by the agent'),
  arguments: z.string().nullable().describe('Null if the reader may not see the texts of the run'),
  report: CallReport.nullable().describe('Claimed by the agent; null before its end, or if the reader may not see it'),
});
export type HandsCall = z.infer<typeof HandsCall>;
