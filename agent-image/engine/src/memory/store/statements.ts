import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Prepares each SQL text once. The texts are few: filters have few forms. */
export function statementsOf(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    const found = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, found);
    return found;
  };
}
