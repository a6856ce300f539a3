/** Which memories a search may find. Null stands for all. */
export type Filter = Readonly<{
  /** Numbers of audiences. */
  audiences: readonly number[] | null;
  repository: string | null;
  kind: string | null;
  layers: readonly string[] | null;
}>;

type Conditions = Readonly<{ sql: string; values: readonly string[] }>;

/** The filter as conditions on the table `memory`, each with an `and` before it. */
export function conditionsOf({ audiences, repository, kind, layers }: Filter): Conditions {
  const parts: (readonly [sql: string, value: string])[] = [];
  if (audiences !== null)
    parts.push(['and memory.audience in (select value from json_each(?))', JSON.stringify(audiences)]);
  if (repository !== null) parts.push(['and memory.repository = ?', repository]);
  if (kind !== null) parts.push(['and memory.kind = ?', kind]);
  if (layers !== null) parts.push(['and memory.layer in (select value from json_each(?))', JSON.stringify(layers)]);
  return { sql: parts.map(([sql]) => sql).join(' '), values: parts.map(([, value]) => value) };
}
