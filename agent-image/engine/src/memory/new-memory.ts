import { z } from 'zod';
import { MAX_AUDIENCE, MAX_NAME_CHARS, MAX_PROVENANCE, MAX_TEXT_CHARS } from './limits.ts';
import type { NewMemory } from './memory.ts';

const name = z.string().min(1).max(MAX_NAME_CHARS);
const time = z.int().min(0);
export const AudienceSchema = z.union([z.literal('public'), z.array(name).min(1).max(MAX_AUDIENCE).readonly()]);

const common = {
  id: name.optional(),
  text: z.string().max(MAX_TEXT_CHARS),
  audience: AudienceSchema,
  layer: z.enum(['conversation', 'document', 'profile', 'tool']).optional(),
  repository: z.string().min(1).max(2_000).nullish(),
  at: time.optional(),
  taint: z.enum(['none', 'outside']).optional(),
  importance: z.number().min(0).max(1).optional(),
  pinned: z.boolean().optional(),
};

const Evidence = z.strictObject({
  ...common,
  kind: z.literal('evidence'),
  session: name,
  turn: z.int().min(0),
  speaker: name,
});

const Fact = z.strictObject({
  ...common,
  kind: z.literal('fact'),
  subject: name,
  validFrom: time.optional(),
  validTo: time.nullish(),
  supersedes: name.nullish(),
  provenance: z.array(name).max(MAX_PROVENANCE).readonly().optional(),
});

const NewMemorySchema = z.discriminatedUnion('kind', [Evidence, Fact]);

/** The first fault of a new memory; null if it is within all limits. */
export function faultOf(memory: NewMemory): string | null {
  const parsed = NewMemorySchema.safeParse(memory);
  if (parsed.success) return null;
  const [issue] = parsed.error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`;
}
