import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { plainText, Time } from '../../values/scalars.ts';

const BRAKES_MAX = 20;
const TRIALS_MAX = 100;
const TEXT_MAX_CHARS = 120;
/** An hour: no drill waits longer for a brake. */
const MS_MAX = 3_600_000;
const Ms = z.int().min(0).max(MS_MAX);

export const DrillFigure = z.strictObject({
  brake: plainText(TEXT_MAX_CHARS).meta({ example: 'Kill of an agent' }),
  effects: plainText(TEXT_MAX_CHARS).describe('The effects that the drill looked for after the click'),
  trials: z.int().min(1).max(TRIALS_MAX),
  p50_ms: Ms.describe('From the click until the last effect was seen: the median'),
  max_ms: Ms.describe('The longest'),
  held: z.boolean().describe('False if effects were still seen when the drill gave up'),
});
export type DrillFigure = z.infer<typeof DrillFigure>;

export const DrillReport = z.strictObject({
  version: plainText(64).describe('Version of Hamlet'),
  figures: z.array(DrillFigure).min(1).max(BRAKES_MAX),
  left_out: z
    .array(plainText(TEXT_MAX_CHARS))
    .max(BRAKES_MAX)
    .describe('Brakes that could not be measured here, with the reason'),
});
export type DrillReport = z.infer<typeof DrillReport>;

export const Drill = DrillReport.extend({ at: Time, by: z.strictObject({ role: z.string(), id: z.string() }) });
export type Drill = z.infer<typeof Drill>;

const drills = {
  tag: 'service',
  permission: 'village:settings',
  answer: json(z.strictObject({ drill: Drill.nullable().describe('The newest drill; null before the first') })),
} as const;

export const recordDrill = defineRoute('recordDrill POST /village/drills', {
  ...drills,
  summary: 'Record what a drill (make drill) has measured of the brakes of the village, as an act of the audit',
  body: DrillReport,
  status: 201,
});

export const getLastDrill = defineRoute('getLastDrill GET /village/drills/last', {
  ...drills,
  summary: 'The newest drill of the brakes with its figures',
});
