import { z } from 'zod';
import { Run } from './run.ts';

/** With fewer tokens a worker cannot give one answer. */
export const WORKER_TOKENS_MIN = 1_000;
/** Ended workers that the API keeps for an agent, and those that a list returns. */
export const WORKERS_KEPT = 100;
export const WORKER_ARTIFACTS_MAX = 64;

/** A thing that a worker made: a page of the village, or a file of the workspace. */
export const WorkerArtifact = z.strictObject({
  kind: z.enum(['link', 'file']),
  at: z.string().max(4_096).describe('Address or path'),
  witnessed: z.boolean().describe('True if the API saw it, false if the agent claims it'),
});
export type WorkerArtifact = z.infer<typeof WorkerArtifact>;

/** `code` is a word for programs; `what` says what failed, `fix` what to do. */
export const WorkerError = z.strictObject({ code: z.string(), what: z.string(), fix: z.string() });
export type WorkerError = z.infer<typeof WorkerError>;

/** The result of a worker for the run that it works for. */
export const WorkerEnvelope = z.strictObject({
  summary: z.string().describe('In the words of the worker'),
  artifacts: z.array(WorkerArtifact).max(WORKER_ARTIFACTS_MAX),
  errors: z.array(WorkerError),
});
export type WorkerEnvelope = z.infer<typeof WorkerEnvelope>;

export const Worker = z.strictObject({
  run: Run,
  envelope: WorkerEnvelope.nullable().describe('Null before its end'),
});
export type Worker = z.infer<typeof Worker>;
