import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { WhoseMemory } from '../../memory/memory-audience.ts';
import {
  EntryId,
  MEMORY_CHANGES_MAX,
  MemoryChange,
  MemoryChangeResult,
  MemoryEntry,
  REPOSITORY_ENTRIES_MAX,
  RepositoryMemory,
} from '../../memory/memory-entry.ts';
import { AgentId, NEXT_CURSOR, paging, plainText } from '../../values/scalars.ts';
import { LEASED, working } from './runs.ts';

export const REPOSITORY_MEMORIES_PAGE_MAX = 100;
const CHANGES_BODY_MAX_BYTES = 524_288;

const Entries = z.array(MemoryEntry).max(REPOSITORY_ENTRIES_MAX);

export const useRepositoryMemory = defineRoute('useRepositoryMemory POST /runs/{run_id}/repository-memory', {
  ...working,
  summary:
    'Change and read the memory of the repository in which a run works. The API determines the repository, and the people of the session: new entries are for them, and only entries that all of them may know are read. Reading entries of other agents or tainted runs taints the run',
  bodyMaxBytes: CHANGES_BODY_MAX_BYTES,
  body: z.strictObject({
    ...LEASED,
    changes: z.array(MemoryChange).max(MEMORY_CHANGES_MAX).default([]),
    left: z
      .boolean()
      .default(false)
      .describe(
        'True for changes found in a file: they count as text from outside, because nothing proves which run made them',
      ),
    read: z
      .enum(['none', 'own', 'all'])
      .default('own')
      .describe('`own` omits entries from outside; `all` includes them, and then taints the run'),
  }),
  answer: json(
    z.strictObject({
      version: z.int().min(0).describe('0 for a memory that was never written'),
      results: z.array(MemoryChangeResult).max(MEMORY_CHANGES_MAX),
      entries: Entries.describe('The least recently changed first'),
      outside: z.int().min(0).describe('Number of omitted entries from outside'),
    }),
  ),
  reasons: [
    ...working.reasons,
    'no_repository',
    'repository_not_allowed',
    'policy_denied',
    'memory_writes_limited',
    'too_many_memories',
  ],
});

const reading = { tag: 'agents', permission: 'runs:read' } as const;
const forgetting = { tag: 'agents', permission: 'run:create', idempotency: 'natural' } as const;
const ofRepository = z.strictObject({
  repository: plainText(2_048).describe('Name of the repository as the list has it, or one of its addresses'),
});
const Forgotten = json(z.strictObject({ forgotten: z.int().min(0).describe('Number of deleted entries') }));

export const listRepositoryMemories = defineRoute('listRepositoryMemories GET /repository-memories', {
  ...reading,
  summary:
    'Repositories with a memory that the caller may read, by name, with counts of the entries that the caller may know; an admin gets the counts of all entries',
  query: z.strictObject({
    agent_id: AgentId.optional().describe('Only repositories in which this agent created an entry'),
    ...paging({ max: REPOSITORY_MEMORIES_PAGE_MAX }),
  }),
  answer: json(z.strictObject({ memories: z.array(RepositoryMemory), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});

export const getRepositoryMemory = defineRoute('getRepositoryMemory GET /repository-memories/entries', {
  ...reading,
  summary: 'The entries of the memory of a repository that the caller may know, the least recently changed first',
  query: ofRepository.extend({ whose: WhoseMemory }),
  answer: json(z.strictObject({ repository: z.string(), entries: Entries })),
  reasons: ['repository_not_allowed'],
});

export const forgetRepositoryEntry = defineRoute(
  'forgetRepositoryEntry DELETE /repository-memories/entries/{memory_id}',
  {
    ...forgetting,
    summary:
      'Delete an entry that the caller may know; an admin may delete any. The audit keeps its id, and its words are gone',
    params: z.strictObject({ memory_id: EntryId }),
    query: ofRepository,
    answer: Forgotten,
    reasons: ['repository_not_allowed', 'no_such_memory'],
  },
);

export const forgetRepositoryMemory = defineRoute('forgetRepositoryMemory DELETE /repository-memories', {
  ...forgetting,
  summary: 'Delete all entries of a repository that the caller may know; an admin deletes the whole memory',
  query: ofRepository,
  answer: Forgotten,
  reasons: ['repository_not_allowed', 'no_such_memory'],
});
