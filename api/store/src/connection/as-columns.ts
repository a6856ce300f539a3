type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S;

/** Converts the fields of a value to columns: `agentId` becomes agent_id. */
export function asColumns<T extends object>(value: T): { [K in keyof T & string as SnakeCase<K>]: T[K] } {
  const columns = Object.entries(value).map(([field, content]) => [
    field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    content,
  ]);
  return Object.fromEntries(columns) as { [K in keyof T & string as SnakeCase<K>]: T[K] };
}
