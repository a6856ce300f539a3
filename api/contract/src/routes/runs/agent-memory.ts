import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import {
  AgentMemory,
  FoundMemory,
  HELD_MEMORIES_MAX,
  MEMORY_COMMANDS_PAGE_MAX,
  MEMORY_QUERY_MAX_CHARS,
  MEMORY_WORDS_MAX_CHARS,
  MemoryChangeRefusal,
  MemoryCommand,
  MemoryId,
  MemoryKind,
  MemoryTotals,
  MindState,
  OWN_CHANGES_MAX,
  OwnMemoryChange,
  SYNC_BODY_MAX_BYTES,
  SYNCED_MEMORIES_MAX,
  SyncedMemory,
} from '../../memory/agent-memory.ts';
import { WhoseMemory } from '../../memory/memory-audience.ts';
import { AgentId, NEXT_CURSOR, paging, plainText, Time } from '../../values/scalars.ts';

const FOUND_MAX = 50;

const reading = { tag: 'agents', permission: 'memory:read' } as const;
const changing = { tag: 'agents', permission: 'memory:change', idempotency: 'natural' } as const;
const ofMemory = z.strictObject({ agent_id: AgentId, memory_id: MemoryId });
const CHANGE_REASONS = ['no_such_agent', 'no_such_memory', 'memory_of_everybody', 'too_many_memory_changes'] as const;
const Changed = json(
  z.strictObject({
    memory_id: MemoryId.describe('The memory, or the one that replaces it'),
    number: z.int().min(1).describe('Number of the change; the agent applies changes in this order'),
  }),
);

export const listAgentMemory = defineRoute('listAgentMemory GET /agents/{agent_id}/memory', {
  ...reading,
  summary:
    'Memories of an agent that arose with the caller or that everybody may know, newest first, with its goal, its plan and how full its memory is',
  query: z.strictObject({
    whose: WhoseMemory,
    kind: MemoryKind.optional(),
    memory_id: MemoryId.optional().describe('Only this memory and those that it replaced, newest first'),
    run_id: z.uuid().optional().describe('Only what arose in this run'),
    ...paging({ max: 100, limit: 50 }),
  }),
  answer: json(
    z.strictObject({
      memories: z.array(AgentMemory),
      ...NEXT_CURSOR,
      mind: MindState.nullable().describe('Null before the agent has reported'),
      totals: MemoryTotals.nullable(),
      synced_at: Time.nullable().describe('When the agent last reported'),
      shown: z.int().min(0).describe('Memories of all people that the API shows; the rest had no room'),
      waiting: z.int().min(0).describe('Changes by people that the agent has not applied yet'),
      changes: z.array(OwnMemoryChange).max(OWN_CHANGES_MAX).describe('The newest changes by the caller, newest first'),
    }),
  ),
  reasons: ['no_such_agent', 'cursor_invalid'],
});

export const searchAgentMemory = defineRoute('searchAgentMemory GET /agents/{agent_id}/memory/search', {
  ...reading,
  summary: 'Memories of an agent that share words with a query, best first, each with the shares of its score',
  query: z.strictObject({
    q: plainText(MEMORY_QUERY_MAX_CHARS).trim().min(1),
    whose: WhoseMemory,
    limit: z.coerce.number().int().min(1).max(FOUND_MAX).default(20),
  }),
  answer: json(z.strictObject({ found: z.array(FoundMemory).max(FOUND_MAX) })),
  reasons: ['no_such_agent'],
});

export const pinAgentMemory = defineRoute('pinAgentMemory PUT /agents/{agent_id}/memory/{memory_id}/pin', {
  ...changing,
  summary: 'Pin a memory, so that the agent always recalls it, or unpin it',
  params: ofMemory,
  body: z.strictObject({ pinned: z.boolean().default(true) }),
  answer: Changed,
  reasons: CHANGE_REASONS,
});

export const correctAgentMemory = defineRoute('correctAgentMemory POST /agents/{agent_id}/memory/{memory_id}/correct', {
  ...changing,
  idempotency: 'key',
  summary: 'Replace a fact by the words of a person; the earlier words stay as its history until they are forgotten',
  params: ofMemory,
  body: z.strictObject({ text: plainText(MEMORY_WORDS_MAX_CHARS).trim().min(1) }),
  answer: Changed,
  reasons: [...CHANGE_REASONS, 'memory_not_correctable', 'memory_replaced'],
});

export const forgetAgentMemory = defineRoute('forgetAgentMemory DELETE /agents/{agent_id}/memory/{memory_id}', {
  ...changing,
  summary: 'Forget a memory: its words are deleted at once, and the agent deletes them before its next recall',
  params: ofMemory,
  answer: Changed,
  reasons: CHANGE_REASONS,
});

export const syncAgentMemory = defineRoute('syncAgentMemory POST /agents/{agent_id}/memory/sync', {
  tag: 'resident',
  permission: 'agent:self',
  idempotency: 'natural',
  summary: 'Report changed memories of an agent, and read the changes by people that it has not applied yet',
  bodyMaxBytes: SYNC_BODY_MAX_BYTES,
  body: z.strictObject({
    cycle: z.int().min(0),
    applied: z.int().min(0).describe('Number of the newest applied change; 0 for none'),
    life: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('The life whose changes `applied` counts; a volume may be older than the life'),
    refused: z
      .array(z.strictObject({ number: z.int().min(1), reason: MemoryChangeRefusal }))
      .max(MEMORY_COMMANDS_PAGE_MAX)
      .default([])
      .describe('Changes up to `applied` that the agent could not apply'),
    copy: z
      .strictObject({
        from: z
          .array(z.int().min(0))
          .max(2)
          .describe('Marks after one of which it continues; empty: the copy begins again'),
        to: z.int().min(0).describe('The mark after it'),
      })
      .optional()
      .describe('The place of this report in the copy of the memory, which is built from reports without a gap'),
    held: z
      .array(MemoryId)
      .max(HELD_MEMORIES_MAX)
      .optional()
      .describe('For agents without `copy`: ids of all memories to show; the API deletes the others'),
    memories: z.array(SyncedMemory).max(SYNCED_MEMORIES_MAX).default([]),
    gone: z.array(MemoryId).max(HELD_MEMORIES_MAX).default([]),
    mind: MindState.optional(),
    totals: MemoryTotals.optional(),
  }),
  answer: json(
    z.strictObject({
      commands: z.array(MemoryCommand).max(MEMORY_COMMANDS_PAGE_MAX).describe('The oldest first'),
      more: z.boolean().describe('True if further changes wait'),
      life: z.string().describe('The present life of the agent'),
      begin: z
        .boolean()
        .optional()
        .describe('True if the report leaves a gap, so that its memories were not stored: report all again'),
    }),
  ),
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle'],
});
