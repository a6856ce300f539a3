import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { ARGUMENTS_MAX_CHARS, CallOutcome, EGRESS_ANSWER_S, CallId } from '../../values/permission.ts';
import { AgentId, NEXT_CURSOR, paging, plainText, Time } from '../../values/scalars.ts';
import { LEASED, working } from './runs.ts';
import { OPENED_PAGES_MAX, OpenedPage } from '../../values/artifact.ts';

/** Maximum characters of a command or of one stream in the log of a call. */
export const CALL_LOG_TEXT_MAX_CHARS = 40_000;
const LogText = z.string().max(CALL_LOG_TEXT_MAX_CHARS);
/** Maximum lines about refusals of the broker in the log of a call; the last one may count further refusals. */
export const REFUSALS_MAX = 6;
export const REFUSAL_MAX_CHARS = 320;
const Count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** The facts about a call as the pod claims them. Long texts are shortened in the middle. */
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
  opened: z.array(OpenedPage).max(OPENED_PAGES_MAX).optional().describe('Web pages that it opened'),
  refused: z
    .array(z.string().max(REFUSAL_MAX_CHARS))
    .max(REFUSALS_MAX)
    .optional()
    .describe("Refusals of the broker during the call, with code and fix, as the pod's proxy saw them"),
  undoes: Count.optional().describe('Number of the change that this call undid'),
});
export type CallReport = z.infer<typeof CallReport>;

/** `unknown`: no end was reported, and the run has ended or has a newer attempt. */
export const HandsCallState = z.enum(['begun', 'ended', 'unknown']);

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

const Boot = z.string().min(1).max(64).describe('Id of the present start of the hands, from their supervisor');

export const beginCall = defineRoute('beginCall POST /runs/{run_id}/calls/{call_id}/start', {
  ...working,
  summary:
    "Store the start of a call in the hands before it runs: the API judges it, uses up its permission and takes one of the tier's slots",
  body: z.strictObject({
    ...LEASED,
    tool: z.string().min(1).max(64),
    arguments: plainText(ARGUMENTS_MAX_CHARS).describe('Arguments as JSON'),
    boot: Boot,
    known: z.boolean().default(false).describe('True only queries the state of an earlier start'),
  }),
  answer: json(
    z.strictObject({
      state: z
        .enum(['begun', 'known', 'ended', 'absent', 'denied'])
        .describe("`known`: an earlier request started it in the hands' start `boot`. `absent`: it was never started"),
      boot: z.string().nullable(),
      outcome: CallOutcome.nullable().describe('Outcome of a denied call, or of one that has ended'),
      waits_s: z
        .int()
        .min(0)
        .max(EGRESS_ANSWER_S)
        .optional()
        .describe('Extra seconds for a call while people are asked about what it sends; 0 if absent'),
    }),
  ),
  reasons: [
    ...working.reasons,
    'permission_needed',
    'permission_pending',
    'arguments_differ',
    'call_diverged',
    'too_many_tools',
    'too_many_searches',
    'too_many_web_requests',
    'too_many_browser_calls',
  ],
});

/** Bytes of both streams, a command and a diff of maximum length, as JSON. */
const END_BODY_MAX_BYTES = 1_048_576;

export const endCall = defineRoute('endCall POST /runs/{run_id}/calls/{call_id}/end', {
  ...working,
  summary: 'Store the end of a call in the hands as the agent claims it; the first end counts',
  bodyMaxBytes: END_BODY_MAX_BYTES,
  body: z.strictObject({ ...LEASED, outcome: CallOutcome, report: CallReport }),
  answer: json(
    z.strictObject({
      stored: z.boolean().describe('False if the call had ended before'),
      panic: z
        .string()
        .nullable()
        .default(null)
        .describe(
          'Code with which the API has stopped all further calls of the run because of this one; null if they continue',
        ),
      warning: z
        .string()
        .nullable()
        .default(null)
        .describe('Text for the model that its last calls failed without improvement; null if they did not'),
    }),
  ),
  reasons: [...working.reasons, 'no_such_call'],
});

const MEMORIES_MAX = 64;
const MemoryIds = z.array(z.string().min(1).max(64)).max(MEMORIES_MAX);

export const noteMemories = defineRoute('noteMemories POST /runs/{run_id}/memories', {
  ...working,
  summary:
    'Record the memories that a run writes or recalls. The API marks those of a tainted run, taints a run that recalls a marked one, and names those that people have forgotten',
  body: z.strictObject({
    ...LEASED,
    written: MemoryIds.default([]),
    recalled: MemoryIds.default([]),
    outside: MemoryIds.default([]).describe(
      'Recalled memories that the store of the agent marks: they taint the run too',
    ),
  }),
  answer: json(
    z.strictObject({
      tainted: z.array(z.string()).describe('Recalled memories that are marked, and written ones of a tainted run'),
      forgotten: z
        .array(z.string())
        .default([])
        .describe('Recalled memories that a person has forgotten meanwhile: the run must not use them'),
    }),
  ),
  reasons: [...working.reasons],
});

export const listCalls = defineRoute('listCalls GET /calls', {
  tag: 'runs',
  summary:
    'Calls in the hands of agents, newest first: command, folder, output, duration, exit; by agent, run, tool and words',
  permission: 'runs:read',
  query: z.strictObject({
    agent_id: AgentId.optional(),
    run_id: z.uuid().optional(),
    tool: z.string().min(1).max(64).optional(),
    state: HandsCallState.optional(),
    q: z.string().trim().min(1).max(200).optional().describe('Words of its arguments or of its report'),
    ...paging({ max: 50 }),
  }),
  answer: json(z.strictObject({ calls: z.array(HandsCall), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});
