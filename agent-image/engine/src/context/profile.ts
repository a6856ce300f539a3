import { z } from 'zod';

export const CONTEXT_SOURCES = ['memory', 'history', 'task', 'docs'] as const;
export type ContextSource = (typeof CONTEXT_SOURCES)[number];

const MAX_TOKENS = 10_000_000;
const MAX_RECENT = 1_000;

/** The choice of what a stage of work reads. Field names are those of manifests. */
export const ContextProfile = z.strictObject({
  /** For the whole prompt: instructions, task, context and schema. */
  max_tokens: z.int().min(1).max(MAX_TOKENS),
  /** `recency`: newer items stay longer. `hybrid`: importance, words in common with the task, and recency count alike. */
  retrieval_policy: z.enum(['hybrid', 'recency']).default('hybrid'),
  sources: z.array(z.enum(CONTEXT_SOURCES)).default([...CONTEXT_SOURCES]),
  /** The newest messages of the history, which stay whole as long as they fit. */
  k_recent_messages: z.int().min(0).max(MAX_RECENT).default(4),
  /** Results of earlier stages of the task. */
  include_task_history: z.boolean().default(true),
  include_project_docs: z.boolean().default(true),
});
export type ContextProfile = Readonly<z.infer<typeof ContextProfile>>;
