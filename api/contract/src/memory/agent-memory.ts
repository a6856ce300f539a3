import { z } from 'zod';
import { plainText, Time } from '../values/scalars.ts';
import { MemoryAudience } from './memory-audience.ts';
import { RepositoryName } from './memory-entry.ts';

/** Maximum number of memories of an agent that the API shows: as many as an agent can have. */
export const SHOWN_MEMORIES_MAX = 200_000;
/**
 * Maximum bytes of the texts, names and people of these memories, as UTF-8. Beyond it, the API omits the words of the
 * oldest conversations.
 */
export const SHOWN_MEMORIES_MAX_BYTES = 67_108_864;
/** Maximum number of ids in the report of an agent of an earlier version, which lists all memories to show. */
export const HELD_MEMORIES_MAX = 2_000;
export const MEMORY_WORDS_MAX_CHARS = 4_000;
/** Maximum number of memories in one report, besides the byte limit of its body. */
export const SYNCED_MEMORIES_MAX = 256;
/** Bytes of a report: 64 memories of the maximum length. */
export const SYNC_BODY_MAX_BYTES = 1_048_576;
export const MEMORY_COMMANDS_PAGE_MAX = 64;
/** Maximum number of changes by people that an agent has not applied yet. */
export const MEMORY_COMMANDS_OPEN_MAX = 500;
export const MEMORY_QUERY_MAX_CHARS = 300;

/** Prefix of the id of a correction; the id of any other memory begins differently. */
export const CORRECTION_PREFIX = 'c-';

export const MemoryId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/,
    'write the id of a memory as the list has it, for example m-0123456789ab',
  );
const Share = z.number().min(0).max(1);

/** `fact`: what the agent believes. `evidence`: words in the form in which they were said. `diary`: what the agent did. */
export const MemoryKind = z.enum(['fact', 'evidence', 'diary']);
export type MemoryKind = z.infer<typeof MemoryKind>;

const reported = {
  memory_id: MemoryId,
  kind: MemoryKind,
  text: plainText(MEMORY_WORDS_MAX_CHARS),
  about: plainText(200).nullable().describe('Subject of the memory'),
  speaker: plainText(200).nullable().describe('Name of the person or the agent whose words these are'),
  audience: MemoryAudience.describe(
    'Ids of the people who may know it: those of the conversation in which it arose; null for everybody',
  ),
  pinned: z.boolean(),
  dormant: z
    .boolean()
    .describe('True if it ranks lower, because it is old, unused and of ordinary importance; use wakes it'),
  outside: z.boolean().describe('True if text from outside had reached the run in which it arose'),
  corrected: z
    .boolean()
    .describe('True if a person wrote it as a correction; the API knows it by itself, and ignores a report'),
  importance: Share,
  uses: z.int().min(0).describe('How often the agent recalled it'),
  used_at: Time.nullable(),
  since: Time.describe('Time from which it holds'),
  until: Time.nullable().describe('Time at which it ended or another memory replaced it; null while it holds'),
  replaces: MemoryId.nullable().describe('The memory that it replaced'),
  run_id: z.uuid().nullable(),
  session_id: z.uuid().nullable(),
  repository: RepositoryName.nullable(),
} as const;

/** A memory as the agent reports it. */
export const SyncedMemory = z.strictObject(reported);
export type SyncedMemory = z.infer<typeof SyncedMemory>;

/**
 * `confirmed`: a person wrote it as a correction. `said`: words of a person or an agent. `noted`: the agent's own conclusion.
 * `outside`: text from outside.
 */
export const MemoryCertainty = z.enum(['confirmed', 'said', 'noted', 'outside']);
export type MemoryCertainty = z.infer<typeof MemoryCertainty>;

/** A memory as people read it. */
export const AgentMemory = SyncedMemory.extend({
  certainty: MemoryCertainty,
  may_change: z.boolean().describe('True if the caller may pin, correct and forget it'),
  waiting: z.boolean().describe('True if the agent has not applied the newest change by a person yet'),
});
export type AgentMemory = z.infer<typeof AgentMemory>;

/** The shares of a score; their sum is the score. */
export const MemoryExplanation = z.strictObject({
  words: z.number().min(0).describe('Words of the query in the memory, beside the best match'),
  recency: z.number().min(0),
  importance: z.number().min(0),
  use: z.number().min(0),
  pinned: z.number().min(0),
});
export type MemoryExplanation = z.infer<typeof MemoryExplanation>;

export const FoundMemory = z.strictObject({
  memory: AgentMemory,
  score: z.number().min(0),
  explain: MemoryExplanation,
});
export type FoundMemory = z.infer<typeof FoundMemory>;

/** How full the memory of an agent is, by the agent's own count. */
export const MemoryTotals = z.strictObject({
  active: z.int().min(0),
  dormant: z.int().min(0),
  pinned: z.int().min(0),
  dropped: z.int().min(0).describe('Memories that the agent deleted because its memory was full'),
  capacity: z.int().min(1),
});
export type MemoryTotals = z.infer<typeof MemoryTotals>;

export const MindState = z.strictObject({
  goal: plainText(500).nullable(),
  plan: plainText(1_000).nullable().describe('Plan for the day, in words'),
});
export type MindState = z.infer<typeof MindState>;

/** Why an agent has not applied a change by a person. */
export const MemoryChangeRefusal = z.enum(['no_such_memory', 'too_many_pins', 'memory_full', 'not_kept']);
export type MemoryChangeRefusal = z.infer<typeof MemoryChangeRefusal>;

/** The reasons in words, most with the next step. */
export const MEMORY_CHANGE_REFUSALS: Readonly<Record<MemoryChangeRefusal, string>> = {
  no_such_memory: 'the agent no longer has it',
  too_many_pins: 'its people have 200 pins; unpin another one first',
  memory_full: 'its memory is full; forget something first',
  not_kept: 'the agent does not keep such a text; write it in other words',
};

/** Number of the caller's newest changes that a list shows. */
export const OWN_CHANGES_MAX = 20;

/** A change that the caller made, without words. */
export const OwnMemoryChange = z.strictObject({
  number: z.int().min(1),
  op: z.enum(['forget', 'pin', 'unpin', 'correct']),
  memory_id: MemoryId.describe('The memory that it changes'),
  at: Time,
  state: z
    .enum(['waiting', 'done', 'refused'])
    .describe('waiting: the agent has not read it yet. done: the agent applied it. refused: it cannot'),
  reason: MemoryChangeRefusal.nullable().describe(
    'Why it is refused. no_such_memory: the agent has no such memory. too_many_pins: the people who may know it have 200 pins. memory_full: the memory has no room. not_kept: the agent keeps no such text',
  ),
});
export type OwnMemoryChange = z.infer<typeof OwnMemoryChange>;

/** A change by a person, in the order of numbers. A command to forget contains no text. */
export const MemoryCommand = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('forget'), number: z.int().min(1), memory_id: MemoryId }),
  z.strictObject({ op: z.literal('pin'), number: z.int().min(1), memory_id: MemoryId, pinned: z.boolean() }),
  z.strictObject({
    op: z.literal('correct'),
    number: z.int().min(1),
    memory_id: MemoryId,
    text: plainText(MEMORY_WORDS_MAX_CHARS),
    new_id: MemoryId.describe('Id of the memory that replaces it'),
    by: plainText(200).describe('Name of the person'),
  }),
]);
export type MemoryCommand = z.infer<typeof MemoryCommand>;
