import { z } from 'zod';

/** Maximum length of an observation; `entityOf` shortens longer ones. */
export const MAX_OBSERVATION_CHARS = 4_000;

/** An entry of the memory, in the form of the MCP memory server. It replaces an earlier entry of the same name. */
export const Entity = z.object({
  type: z.literal('entity'),
  name: z.string().min(1).max(200),
  entityType: z.string().min(1).max(60),
  observations: z.array(z.string()).max(50),
  /** The only conversation that may read the note; absent or null for everyone. */
  audience: z.string().max(200).nullish(),
  pinned: z.boolean().optional(),
  about: z.string().max(200).optional(),
});
export type Entity = Readonly<z.infer<typeof Entity>>;

export const DIARY = 'diary';

/** The type of notes: facts that a model chose to remember. */
export const NOTE = 'note';

export const MemorySeed = z.strictObject({ entities: z.array(Entity.omit({ type: true })).max(100) });
export type MemorySeed = z.infer<typeof MemorySeed>;

export function entityOf(name: string, entityType: string, observations: readonly string[]): Entity {
  const cut = observations.map((text) => text.slice(0, MAX_OBSERVATION_CHARS));
  return { type: 'entity', name, entityType, observations: cut };
}

/** A state of the brain as JSON. Its schema limits its length; it is never shortened, because half of it could not be parsed. */
export function stateOf(name: string, state: object): Entity {
  return { type: 'entity', name, entityType: name, observations: [JSON.stringify(state)] };
}
