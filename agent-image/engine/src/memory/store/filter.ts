/** Which memories a search may find. Null stands for all. */
export type Filter = Readonly<{
  /** Numbers of audiences. */
  audiences: ReadonlySet<number> | null;
  repository: string | null;
  /** A repository, or an empty text for none: memories of no repository pass too. */
  place: string | null;
  /** A session whose memories do not pass. */
  besides: string | null;
  kind: string | null;
  layers: readonly string[] | null;
}>;

/** No repository has an empty name. */
export const IN_PLACE = 'and (memory.repository is null or memory.repository = ?)';

type Conditions = Readonly<{ sql: string; values: readonly string[] }>;

/** The filter without the audiences as conditions on the table `memory`, each with an `and` before it. */
export function conditionsOf({ repository, place, besides, kind, layers }: Omit<Filter, 'audiences'>): Conditions {
  const parts: (readonly [sql: string, value: string])[] = [];
  if (repository !== null) parts.push(['and memory.repository = ?', repository]);
  if (place !== null) parts.push([IN_PLACE, place]);
  if (besides !== null) parts.push(['and memory.session is not ?', besides]);
  if (kind !== null) parts.push(['and memory.kind = ?', kind]);
  if (layers !== null) parts.push(['and memory.layer in (select value from json_each(?))', JSON.stringify(layers)]);
  return { sql: parts.map(([sql]) => sql).join(' '), values: parts.map(([, value]) => value) };
}
