import { z } from 'zod';

export const MIND_WORD_MAX_CHARS = 64;

/**
 * A word without control characters or direction marks: it comes from a pod and appears beside the village's own words.
 */
const Word = z
  .string()
  .min(1)
  .max(MIND_WORD_MAX_CHARS)
  .regex(/^\P{C}+$/u, 'write visible characters only');

/** The mind of an agent: its runtime, and the program of a runtime that has one. A report of the agent's pod, so a claim. */
export const Mind = z.strictObject({
  runtime: Word.describe('Name of the runtime, for example engine'),
  preset: Word.nullable().describe('Preset of the runtime acp; null for any other mind'),
  program: Word.nullable().describe('Program that thinks, for example Claude Code; null if the runtime thinks itself'),
  version: Word.nullable().describe('Version of the program that runs; null if it is unknown'),
  installed: z
    .boolean()
    .nullable()
    .describe(
      'False if the next run installs the program first; null if the village does not know or does not install it',
    ),
});
export type Mind = z.infer<typeof Mind>;
