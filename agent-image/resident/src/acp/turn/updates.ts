import { PROGRAM_CALL_KINDS } from '@hamlet/contract/resident';
import { z } from 'zod';

const MAX_CONTENT = 256;
const MAX_ENTRIES = 1_000;
const Id = z.string().min(1).max(4_096);

/** Parts that the village does not read, such as sounds, are left out. */
const ContentBlock = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('resource_link'), uri: z.string() }),
  z.object({ type: z.string() }).transform(() => ({ type: 'other' as const })),
]);
export type ContentBlock = z.infer<typeof ContentBlock>;

const CallContent = z.union([
  z.object({ type: z.literal('content'), content: ContentBlock }),
  z.object({
    type: z.literal('diff'),
    path: z.string(),
    oldText: z
      .string()
      .nullish()
      .transform((text) => text ?? null),
    newText: z.string(),
  }),
  z.object({ type: z.string() }).transform(() => ({ type: 'other' as const })),
]);
export type CallContent = z.infer<typeof CallContent>;

/** Fields that are absent stay as they were. A kind of a newer protocol counts as other. */
export const ToolCallUpdate = z.object({
  toolCallId: Id,
  kind: z.enum(PROGRAM_CALL_KINDS).catch('other').nullish(),
  status: z.enum(['pending', 'in_progress', 'completed', 'failed']).nullish().catch(null),
  title: z.string().nullish(),
  content: z.array(CallContent).max(MAX_CONTENT).nullish().catch(null),
  locations: z
    .array(z.object({ path: z.string(), line: z.int().min(0).nullish().catch(null) }))
    .max(MAX_ENTRIES)
    .nullish()
    .catch(null),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
});
export type ToolCallUpdate = z.infer<typeof ToolCallUpdate>;

const Plan = z.object({
  entries: z
    .array(z.object({ content: z.string(), status: z.enum(['pending', 'in_progress', 'completed']).catch('pending') }))
    .max(MAX_ENTRIES),
});

const chunk = { content: ContentBlock, messageId: z.string().nullish() };

/** The updates that the village reads; others have no effect. */
export const SessionUpdate = z.discriminatedUnion('sessionUpdate', [
  z.object({ sessionUpdate: z.literal('agent_message_chunk'), ...chunk }),
  z.object({ sessionUpdate: z.literal('agent_thought_chunk'), ...chunk }),
  ToolCallUpdate.extend({ sessionUpdate: z.enum(['tool_call', 'tool_call_update']) }),
  Plan.extend({ sessionUpdate: z.literal('plan') }),
]);
export type SessionUpdate = z.infer<typeof SessionUpdate>;

export const SessionNotification = z.object({ sessionId: z.string(), update: z.unknown() });

const OptionKind = z.enum(['allow_once', 'allow_always', 'reject_once', 'reject_always']);
export const PermissionRequest = z.object({
  sessionId: z.string(),
  toolCall: ToolCallUpdate,
  options: z.array(z.object({ optionId: Id, kind: OptionKind.catch('allow_always') })).max(MAX_CONTENT),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

export const ReadRequest = z.object({
  sessionId: z.string(),
  path: z.string().max(4_096),
  line: z.int().min(1).nullish(),
  limit: z.int().min(0).nullish(),
});
export type ReadRequest = z.infer<typeof ReadRequest>;
export const WriteRequest = z.object({ sessionId: z.string(), path: z.string().max(4_096), content: z.string() });
export type WriteRequest = z.infer<typeof WriteRequest>;
