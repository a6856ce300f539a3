import { z } from 'zod';
import { AgentId, plainText, Time } from '../values/scalars.ts';
import { MemoryAudience } from './memory-audience.ts';

/** Maximum number of entries of one repository, relations included. */
export const REPOSITORY_ENTRIES_MAX = 500;
/** Maximum bytes of all entries of one repository: as a file they must fit into one request to the hands. */
export const REPOSITORY_MEMORY_MAX_BYTES = 262_144;
export const MEMORY_ENTRY_MAX_BYTES = 16_384;
export const OBSERVATIONS_MAX = 50;
export const OBSERVATION_MAX_CHARS = 4_000;
export const ENTRY_NAME_MAX_CHARS = 200;
export const ABOUT_MAX_CHARS = 120;
export const PINNED_MAX = 20;
export const MEMORY_CHANGES_MAX = 64;
/** Maximum number of changes by one agent in an hour, in all repositories. */
export const MEMORY_WRITES_PER_HOUR = 1_000;
export const REPOSITORY_MEMORIES_MAX = 1_000;
/** Maximum number of audiences of one repository, besides everybody. */
export const REPOSITORY_AUDIENCES_MAX = 100;

/** A note's name is its id; the API derives the id of any other entry from its name and audience. */
export const EntryId = z.string().regex(/^m-[0-9a-f]{12}$/, 'write the id of a memory, for example m-0123456789ab');
const EntryName = plainText(ENTRY_NAME_MAX_CHARS);
const Observation = plainText(OBSERVATION_MAX_CHARS);
const Observations = z.array(Observation).max(OBSERVATIONS_MAX);

/** The type of an entry that a model wrote with `remember`. */
export const NOTE_TYPE = 'note';

/** Host and path of a repository: the same text for all its addresses, without user and password. */
export const RepositoryName = plainText(1_000);

/** An entry of a repository's memory: a node in the graph of the MCP memory server, or a relation between two nodes. */
export const MemoryEntry = z.strictObject({
  memory_id: EntryId,
  kind: z.enum(['entity', 'relation']),
  name: EntryName.describe('Name of the entity; for a relation, the entity where it starts'),
  type: EntryName.describe('Type of the entity or of the relation; `note` for what a model remembered'),
  to: EntryName.nullable().describe('Entity where a relation ends'),
  about: plainText(ABOUT_MAX_CHARS).nullable().describe('Subject of a note'),
  observations: Observations,
  pinned: z.boolean(),
  outside: z
    .boolean()
    .describe('True if the text is from outside for the reader: a tainted run wrote it, or, for agents, another agent'),
  agent_id: AgentId.describe('Agent that created the entry: only this agent and people may change or delete it'),
  run_id: z.uuid().describe('Run of the last change'),
  changed_at: Time,
  // Older versions of the API have only entries for everybody.
  audience: MemoryAudience.default(null).describe(
    'Ids of the people who may know it: those of the session in which it arose; null for everybody who may use the repository',
  ),
});
export type MemoryEntry = z.infer<typeof MemoryEntry>;

/**
 * A change that a run requests, for the people of its session. `add` creates an entity or adds observations; a change without news
 * for these people has no effect.
 */
export const MemoryChange = z.discriminatedUnion('op', [
  z.strictObject({
    op: z.literal('add'),
    name: EntryName,
    type: EntryName,
    observations: Observations,
    about: plainText(ABOUT_MAX_CHARS).optional(),
  }),
  z.strictObject({ op: z.literal('relate'), from: EntryName, to: EntryName, type: EntryName }),
  z.strictObject({ op: z.literal('drop'), memory_id: EntryId, observations: Observations }),
  z.strictObject({ op: z.literal('forget'), memory_id: EntryId }),
  z.strictObject({ op: z.literal('pin'), memory_id: EntryId, pinned: z.boolean() }),
]);
export type MemoryChange = z.infer<typeof MemoryChange>;

/**
 * `not_yours`: another agent created the entry. `memory_full`: the entry or the memory would be too large, or have too many
 * audiences. `no_such_memory` also stands for an entry that not all people present may know.
 */
export const MemoryChangeResult = z.enum(['done', 'no_such_memory', 'not_yours', 'memory_full', 'too_many_pins']);
export type MemoryChangeResult = z.infer<typeof MemoryChangeResult>;

export const RepositoryMemory = z.strictObject({
  repository: RepositoryName,
  entries: z.int().min(0),
  bytes: z.int().min(0),
  agents: z.array(AgentId).max(REPOSITORY_ENTRIES_MAX).describe('Agents that created an entry'),
  changed_at: Time,
});
export type RepositoryMemory = z.infer<typeof RepositoryMemory>;
