import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { ScheduleWorkflow } from '../../kinds/schedule.ts';
import { text } from '../../kinds/text.ts';
import { RUN_PROMPT_MAX_CHARS } from '../../values/run/run.ts';
import { AgentId, Time } from '../../values/scalars.ts';

export const FIRING_AGENTS_MAX = 2_000;
/** Maximum milliseconds by which a firing may precede its slot, by the database's clock. */
export const FIRING_EARLY_MS = 1_000;

export const FiringOutcome = z.enum([
  'started',
  'queued',
  'skipped_overlap',
  'replaced',
  'agent_unknown',
  'agent_barred',
  'manifests_unusable',
]);
export type FiringOutcome = z.infer<typeof FiringOutcome>;

export const FiredRun = z.strictObject({ agent_id: AgentId, run_id: z.uuid().nullable(), outcome: FiringOutcome });
export type FiredRun = z.infer<typeof FiredRun>;

export const Firing = z.strictObject({
  firing_id: z.uuid(),
  slot: Time,
  fired_at: Time,
  made_up: z.boolean().describe('True if the slot had been missed'),
  runs: z.array(FiredRun),
});
export type Firing = z.infer<typeof Firing>;

export const Overlap = z.enum(['Forbid', 'Queue', 'Replace']);
export type Overlap = z.infer<typeof Overlap>;

export const FiringBody = z.strictObject({
  schedule_uid: z.string().min(1).max(64),
  schedule: z.string().min(1).max(253).describe('Name of the Schedule'),
  slot: Time,
  agents: z.array(AgentId).max(FIRING_AGENTS_MAX),
  prompt: text(RUN_PROMPT_MAX_CHARS, 1),
  workflow: ScheduleWorkflow.optional().describe('If present, each run carries out the workflow of its agent'),
  overlap: Overlap,
  history_limit: z.int().min(0).max(1_000),
  made_up: z.boolean(),
});
export type FiringBody = z.infer<typeof FiringBody>;

export const fireSchedule = defineRoute('fireSchedule POST /internal/firings', {
  summary:
    'Fire a slot of a schedule once and create its runs; a retry returns the first answer. Needs the header hamlet-fence: LEASE_UID:TRANSITIONS',
  tag: 'internal',
  placement: 'absolute',
  audiences: ['agents'],
  permission: 'operator',
  idempotency: 'natural',
  body: FiringBody,
  answer: json(
    z.strictObject({
      firing_id: z.uuid(),
      slot: Time,
      claimed: z.boolean().describe('False if the slot had fired before'),
      runs: z.array(FiredRun),
      now: Time.describe("Time of the decision by the database's clock"),
    }),
  ),
  reasons: ['firing_too_early', 'firing_forgotten', 'fence_stale', 'village_frozen'],
});
