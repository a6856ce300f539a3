import { z } from 'zod';
import { MAX_PROSE_CHARS } from '../../kinds/text.ts';
import { defineRoute, json } from '../../http/route.ts';
import { AgentCondition } from '../agents.ts';
import { Firing, Overlap } from './firings.ts';
import { NEXT_CURSOR, OnConflictQuery, paging, Time } from '../../values/scalars.ts';

export const SCHEDULES_PAGE_MAX = 200;
export const LAST_FIRINGS_SHOWN = 10;

const SHORT = 253;
const ScheduleName = z
  .string()
  .max(SHORT)
  .regex(
    /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/,
    "write the name of a Kubernetes object: lower case letters, digits, '-' and '.'",
  )
  .meta({ example: 'morning-round' });
const ScheduleParams = z.strictObject({ name: ScheduleName });

/** A spec in snake_case, validated by the API server. */
const written = {
  agent_name: z.string().max(SHORT).nullable(),
  selector: z.strictObject({ match_labels: z.record(z.string().max(317), z.string().max(63)) }).nullable(),
  prompt: z.string().max(MAX_PROSE_CHARS),
  workflow: z
    .strictObject({
      pipeline: z.string().max(64).optional(),
      mode: z.string().max(64).optional(),
      tags: z.array(z.string().max(64)).max(64).optional(),
    })
    .nullable()
    .describe(
      'If set, even empty, each run carries out the workflow of its agent, whose input is the prompt; a change replaces it as a whole',
    ),
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

/** An absent field keeps its value, or its default in a new Schedule; null removes a field. */
const ScheduleChange = z.strictObject(written).partial();
export type ScheduleChange = z.infer<typeof ScheduleChange>;

export const ScheduleView = z.strictObject({
  name: z.string(),
  uid: z.string(),
  created_at: Time,
  ...written,
  veiled: z
    .literal(true)
    .optional()
    .describe('Present if the reader may not read the prompt: a fixed sentence replaces it'),
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

const ScheduleAnswer = json(z.strictObject({ schedule: ScheduleView }));
const read = { tag: 'schedules', permission: 'schedules:read' } as const;
const write = { tag: 'schedules', permission: 'schedules:write' } as const;

export const listSchedules = defineRoute('listSchedules GET /schedules', {
  ...read,
  summary:
    'All schedules of the village by name, with their last firings; only admins read prompts, an agent sees its own',
  query: z.strictObject({ ...paging({ max: SCHEDULES_PAGE_MAX, cursorChars: 2_048, limit: SCHEDULES_PAGE_MAX }) }),
  answer: json(z.strictObject({ schedules: z.array(ScheduleView), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});

export const getSchedule = defineRoute('getSchedule GET /schedules/{name}', {
  ...read,
  summary: 'One schedule',
  params: ScheduleParams,
  answer: ScheduleAnswer,
  reasons: ['no_such_schedule'],
});

export const createSchedule = defineRoute('createSchedule POST /schedules', {
  ...write,
  summary: 'Create a Schedule in the cluster',
  body: ScheduleChange.extend({ name: ScheduleName }),
  status: 201,
  answer: ScheduleAnswer,
  reasons: ['schedule_exists', 'schedule_refused', 'cluster_needed'],
});

export const changeSchedule = defineRoute('changeSchedule PATCH /schedules/{name}', {
  ...write,
  summary: 'Change fields of a Schedule, for example suspend it',
  params: ScheduleParams,
  query: OnConflictQuery,
  body: ScheduleChange,
  answer: ScheduleAnswer,
  reasons: ['no_such_schedule', 'schedule_refused', 'field_owned_elsewhere', 'cluster_needed'],
});

export const deleteSchedule = defineRoute('deleteSchedule DELETE /schedules/{name}', {
  ...write,
  summary: 'Delete a Schedule; its runs under way continue',
  params: ScheduleParams,
  answer: json(z.strictObject({ name: z.string(), deleted: z.literal(true) })),
  reasons: ['no_such_schedule', 'cluster_needed'],
});
