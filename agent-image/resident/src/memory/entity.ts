import { z } from 'zod';

/** Longest text of one observation; longer ones are cut when they are remembered. */
export const MAX_OBSERVATION_CHARS = 4_000;

/**
 * One thing that an agent remembers, in the form of the MCP memory server, so that its tools can read the file.
 * The name is the key: what is remembered later under the same name replaces what was there.
 */
export const Entity = z.object({
  type: z.literal('entity'),
  name: z.string().min(1).max(200),
  entityType: z.string().min(1).max(60),
  observations: z.array(z.string()).max(50),
});
export type Entity = Readonly<z.infer<typeof Entity>>;

/** Entities of this type are the diary: they are kept in order and the oldest are forgotten first. */
export const DIARY = 'diary';

/** What a new agent knows, from `memory-seed.json`. */
export const MemorySeed = z.strictObject({ entities: z.array(Entity.omit({ type: true })).max(100) });
export type MemorySeed = z.infer<typeof MemorySeed>;

export function entityOf(name: string, entityType: string, observations: readonly string[]): Entity {
  const cut = observations.map((text) => text.slice(0, MAX_OBSERVATION_CHARS));
  return { type: 'entity', name, entityType, observations: cut };
}

/** What the brain carries from turn to turn, as JSON. It is bounded by its own schema and never cut: half of it could not be read again. */
export function stateOf(name: string, state: object): Entity {
  return { type: 'entity', name, entityType: name, observations: [JSON.stringify(state)] };
}
