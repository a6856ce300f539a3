import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import {
  JOURNAL_BODY_MAX_BYTES,
  JOURNAL_ENTRIES_MAX,
  JOURNAL_PAYLOADS_MAX,
  JournalEntry,
  JournalPayload,
} from '../../values/run/journal.ts';
import { SeqQuery } from '../../values/scalars.ts';
import { RunClaim, working } from './runs.ts';

export const storeRunJournal = defineRoute('storeRunJournal POST /runs/{run_id}/journal', {
  ...working,
  summary:
    "Store entries of the agent's journal about a run, with their texts; renews the lease. Entries that are already stored have no effect",
  bodyMaxBytes: JOURNAL_BODY_MAX_BYTES,
  body: z.strictObject({
    ...RunClaim.shape,
    entries: z.array(JournalEntry).max(JOURNAL_ENTRIES_MAX).describe('In ascending order of place'),
    payloads: z.array(JournalPayload).max(JOURNAL_PAYLOADS_MAX),
  }),
  answer: json(
    z.strictObject({
      stored_through: z.int().min(0).describe('Greatest stored place of this run; 0 if there is none'),
    }),
  ),
  reasons: [...working.reasons, 'journal_diverged', 'journal_full'],
});

/** Maximum characters in one request; longer output needs several. */
export const RUN_WORDS_MAX_CHARS = 16_384;

export const publishRunWords = defineRoute('publishRunWords POST /runs/{run_id}/words', {
  ...working,
  summary:
    'Publish parts of an unfinished answer to the readers of a run, for a runtime that does not use the models gateway. They are never stored',
  body: z.strictObject({
    ...RunClaim.shape,
    ask: z.int().min(1).describe('Number of the answer to which the words belong'),
    text: z.string().min(1).max(RUN_WORDS_MAX_CHARS),
  }),
  answer: json(z.strictObject({})),
  reasons: ['no_such_run', 'not_own_agent', 'stale_cycle', 'run_settled', 'claim_lapsed'],
});

export const readJournal = defineRoute('readJournal GET /agents/{agent_id}/journal', {
  tag: 'runs',
  summary: 'Journal of the agent as the API has it, in order, to restore a lost volume',
  permission: 'agent:self',
  query: z.strictObject({
    after: SeqQuery.default(0).describe('Place of the last entry received'),
    limit: z.coerce.number().int().min(1).max(JOURNAL_ENTRIES_MAX).default(JOURNAL_ENTRIES_MAX),
  }),
  answer: json(
    z.strictObject({
      entries: z.array(JournalEntry.extend({ run_id: z.uuid() })),
      payloads: z.array(JournalPayload).describe('Texts of these entries, and the salt; deleted texts are missing'),
      next: z.int().nullable().describe('Value of `after` for the next page; null on the last one'),
    }),
  ),
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle'],
});
