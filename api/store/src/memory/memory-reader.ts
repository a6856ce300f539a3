import { sql, type RawBuilder } from 'kysely';

/** A person: memories for everybody and those with the person in their audience. Null: all memories. */
export type MemoryReader = string | null;

/** True for an audience, null for everybody, to which a reader belongs. `mayAllKnow` says the same of one person. */
export const readableBy = (reader: MemoryReader, audience: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(${reader}::text is null or ${audience} is null or ${audience} @> array[${reader}::text])`;
