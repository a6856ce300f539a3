import { z } from 'zod';

/** Maximum number of people of one memory: those of a session, and the author of a run who has left it. */
export const MEMORY_AUDIENCE_MAX = 64;

const PersonId = z.string().min(1).max(300);

/** Ids of the people who may know a memory; null for everybody. */
export const MemoryAudience = z.array(PersonId).min(1).max(MEMORY_AUDIENCE_MAX).nullable();

/** The choice of an admin between the memories of a member and all. */
export const WhoseMemory = z
  .enum(['mine', 'all'])
  .default('mine')
  .describe(
    'mine: what arose with the caller, and what everybody may know. Only an admin reads all, and the audit records it',
  );
