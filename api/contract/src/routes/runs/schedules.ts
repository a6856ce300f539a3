import { z } from 'zod';
import { MAX_PROSE_CHARS } from '../../kinds/text.ts';
import { defineRoute } from '../../route.ts';
import { AgentCondition } from '../agents.ts';
import { Firing, Overlap } from './firings.ts';
import { Time } from '../scalars.ts';

export const SCHEDULES_PAGE_MAX = 200;
/** Firings shown with a schedule, newest first. */
export const LAST_FIRINGS_SHOWN = 10;

const SHORT = 253;
const ScheduleName = z
  .string()
  .max(SHORT)
  .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/, "a name of Kubernetes: lower case letters, digits, '-' and '.'")
  .meta({ example: 'morning-round' });
const ScheduleParams = z.strictObject({ name: ScheduleName });

/** The spec of a Schedule in the words of the wire. What may stand in it is for the cluster's API server to say. */
const written = {
  agent_name: z.string().max(SHORT).nullable(),
  selector: z.strictObject({ match_labels: z.record(z.string().max(317), z.string().max(63)) }).nullable(),
  prompt: z.string().max(MAX_PROSE_CHARS),
  every: z.string().max(64).nullable().meta({ example: '10m' }),
  cron: z.string().max(128).nullable(),
  daily_at: z.string().max(64).nullable().meta({ example: '09:30' }),
  time_zone: z.string().max(64).nullable(),
  missed_runs: z.enum(['Skip', 'RunOnce', 'CatchUp']),
  catch_up_limit: z.int(),
  overlap: Overlap,
  starting_deadline_seconds: z.int(),
  suspend: z.boolean(),
  history_limit: z.int(),
} as const;

/** What is left out keeps its default, or stays as it is; null takes a field away. */
const ScheduleChange = z.strictObject(written).partial();
export type ScheduleChange = z.infer<typeof ScheduleChange>;

/** A Schedule: its spec, how it stands, and its last firings as the table has them. */
export const ScheduleView = z.strictObject({
  name: z.string(),
  uid: z.string(),
  created_at: Time,
  ...written,
  status: z.strictObject({
    last_slot: Time.nullable(),
    last_run_id: z.string().nullable(),
    last_run_at: Time.nullable(),
    next_run_at: Time.nullable(),
    next_runs: z.array(Time),
    active_runs: z.int().min(0),
    missed: z.int().min(0),
    conditions: z.array(AgentCondition),
  }),
  last_firings: z.array(Firing),
});
export type ScheduleView = z.infer<typeof ScheduleView>;

const ScheduleAnswer = { kind: 'json', schema: z.strictObject({ schedule: ScheduleView }) } as const;
/** What to do where somebody else (say, a GitOps tool) owns a field: refuse and name the owner, or take it over. */
const OnConflict = z.strictObject({ on_conflict: z.enum(['refuse', 'take_over']).default('refuse') });
const ofSchedules = { tag: 'schedules', placement: 'versioned_and_bare', audiences: ['people', 'agents'] } as const;
const read = { ...ofSchedules, method: 'GET', permission: 'schedules:read', idempotency: 'read' } as const;
const write = { ...ofSchedules, permission: 'schedules:write', idempotency: 'key' } as const;

export const listSchedules = defineRoute({
  ...read,
  name: 'listSchedules',
  summary: 'All schedules of the village by name, with their last firings',
  path: '/schedules',
  query: z.strictObject({
    cursor: z.string().max(2_048).optional(),
    limit: z.coerce.number().int().min(1).max(SCHEDULES_PAGE_MAX).default(SCHEDULES_PAGE_MAX),
  }),
  answer: {
    kind: 'json',
    schema: z.strictObject({ schedules: z.array(ScheduleView), next_cursor: z.string().nullable() }),
  },
  reasons: ['cursor_invalid'],
});

export const getSchedule = defineRoute({
  ...read,
  name: 'getSchedule',
  summary: 'One schedule',
  path: '/schedules/{name}',
  params: ScheduleParams,
  answer: ScheduleAnswer,
  reasons: ['no_such_schedule'],
});

export const createSchedule = defineRoute({
  ...write,
  name: 'createSchedule',
  summary: 'Write a Schedule to the cluster',
  method: 'POST',
  path: '/schedules',
  body: ScheduleChange.extend({ name: ScheduleName }),
  status: 201,
  answer: ScheduleAnswer,
  reasons: ['schedule_exists', 'schedule_refused', 'cluster_needed'],
});

export const changeSchedule = defineRoute({
  ...write,
  name: 'changeSchedule',
  summary: 'Change fields of a Schedule; say, suspend it',
  method: 'PATCH',
  path: '/schedules/{name}',
  params: ScheduleParams,
  query: OnConflict,
  body: ScheduleChange,
  answer: ScheduleAnswer,
  reasons: ['no_such_schedule', 'schedule_refused', 'field_owned_elsewhere', 'cluster_needed'],
});

export const deleteSchedule = defineRoute({
  ...write,
  name: 'deleteSchedule',
  summary: 'Delete a Schedule; its runs under way go on',
  method: 'DELETE',
  path: '/schedules/{name}',
  params: ScheduleParams,
  answer: { kind: 'json', schema: z.strictObject({ name: z.string(), deleted: z.literal(true) }) },
  reasons: ['no_such_schedule', 'cluster_needed'],
});
