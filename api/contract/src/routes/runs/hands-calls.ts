import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { CallReport, HandsCall, HandsCallState } from '../../values/hands-call.ts';
import { ARGUMENTS_MAX_CHARS, CallOutcome, EGRESS_ANSWER_S } from '../../values/permission.ts';
import { AgentId, NEXT_CURSOR, paging, plainText } from '../../values/scalars.ts';
import { working } from './runs.ts';

export const HANDS_CALLS_PAGE_MAX = 50;

const Claim = {
  cycle: z.int().min(0).describe('Run cycle of the agent'),
  attempt: z.int().min(1).describe('Attempt that the start of the run returned'),
};
const Boot = z.string().min(1).max(64).describe('Start of the hands, as their supervisor names it');

export const beginCall = defineRoute('beginCall POST /runs/{run_id}/calls/{call_id}/start', {
  ...working,
  summary:
    'Store the start of a call in the hands before it runs: the API judges it, uses up its permission and gives it a slot of the tier',
  body: z.strictObject({
    ...Claim,
    tool: z.string().min(1).max(64),
    arguments: plainText(ARGUMENTS_MAX_CHARS).describe('Arguments as JSON'),
    boot: Boot,
    known: z.boolean().default(false).describe('True to ask for the state of an earlier start; nothing begins'),
  }),
  answer: json(
    z.strictObject({
      state: z
        .enum(['begun', 'known', 'ended', 'absent', 'denied'])
        .describe('`known`: an earlier request began it in the start of the hands `boot`. `absent`: nothing began'),
      boot: z.string().nullable(),
      outcome: CallOutcome.nullable().describe('Outcome of a denied call, or of one that has ended'),
      waits_s: z
        .int()
        .min(0)
        .max(EGRESS_ANSWER_S)
        .optional()
        .describe(
          'Seconds that a call may take longer, because people are asked about what it sends while it runs; 0 if absent',
        ),
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
    'too_many_browser_calls',
  ],
});

/** Both streams, a command and a diff at their limits, as JSON. */
const END_BODY_MAX_BYTES = 1_048_576;

export const endCall = defineRoute('endCall POST /runs/{run_id}/calls/{call_id}/end', {
  ...working,
  summary: 'Store the end of a call in the hands as the agent claims it; the first end counts',
  bodyMaxBytes: END_BODY_MAX_BYTES,
  body: z.strictObject({ ...Claim, outcome: CallOutcome, report: CallReport }),
  answer: json(
    z.strictObject({
      stored: z.boolean().describe('False if the call had ended before'),
      panic: z
        .string()
        .nullable()
        .default(null)
        .describe('Code with which the API has ended the run because of this call; null if the run continues'),
    }),
  ),
  reasons: [...working.reasons, 'no_such_call'],
});

/** Memories of one request: a list of memories shows fewer. */
const MEMORIES_MAX = 64;
const MemoryIds = z.array(z.string().min(1).max(64)).max(MEMORIES_MAX);

export const noteMemories = defineRoute('noteMemories POST /runs/{run_id}/memories', {
  ...working,
  summary:
    'Note the memories that a run writes or recalls. The API marks those of a tainted run, and taints a run that recalls a marked one',
  body: z.strictObject({ ...Claim, written: MemoryIds.default([]), recalled: MemoryIds.default([]) }),
  answer: json(z.strictObject({ tainted: z.array(z.string()).describe('Recalled memories that are marked') })),
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
    ...paging(HANDS_CALLS_PAGE_MAX),
  }),
  answer: json(z.strictObject({ calls: z.array(HandsCall), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});
