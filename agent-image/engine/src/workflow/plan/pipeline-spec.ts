import { z } from 'zod';
import { Description, ManifestId, SequenceStage } from './workflow-spec.ts';

const MAX_WORDS = 50;
const MAX_SCORE = 1_000_000;
const MAX_SEQUENCE = 10;

const Word = z.string().min(1).max(64);
const sequence = z
  .array(z.union([z.literal('node'), SequenceStage]))
  .min(1)
  .max(MAX_SEQUENCE)
  .refine((stages) => stages.filter((stage) => stage === 'node').length === 1, {
    message: "a sequence has 'node', which stands for the node itself, exactly once",
  })
  .optional();

/** A way through the workflow for tasks of some modes and tags. The one with the highest score among those that fit is chosen. */
export const PipelineSpec = z.strictObject({
  id: ManifestId,
  description: Description.optional(),
  modes: z.array(Word).max(MAX_WORDS).default([]).describe('Modes of tasks; empty for every mode.'),
  tags: z.array(Word).max(MAX_WORDS).default([]).describe('Tags that a task must have, all of them.'),
  score: z.int().min(-MAX_SCORE).max(MAX_SCORE).default(0).describe('The highest score among those that fit wins.'),
  stages: z
    .strictObject({
      agent: sequence,
      tool: sequence,
      decision: sequence,
      merge: sequence,
      feedback: sequence,
      linear: sequence,
    })
    .default({})
    .describe('The stages that each node of a role becomes; `node` stands for the node itself.'),
});
export type PipelineSpec = Readonly<z.infer<typeof PipelineSpec>>;
