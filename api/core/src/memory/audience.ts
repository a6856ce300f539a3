/** Ids of the people who may know a memory; null for everybody. */
export type MemoryAudience = readonly string[] | null;

/**
 * True if all people present may know what is for `audience`. With no people present only what is for everybody may be known, because
 * anybody may learn what such a run does. The engine has the same rule for the agent's own memory. Pure.
 */
export function mayAllKnow(audience: MemoryAudience, present: readonly string[]): boolean {
  if (audience === null) return true;
  return present.length > 0 && present.every((person) => audience.includes(person));
}

/** The people in the order in which an audience has them, each once. Pure. */
export const asAudience = (people: readonly string[]): readonly string[] => [...new Set(people)].toSorted();

/** A text that is equal for equal audiences. Pure. */
export const audienceKey = (audience: MemoryAudience): string =>
  audience === null ? '' : JSON.stringify(asAudience(audience));
