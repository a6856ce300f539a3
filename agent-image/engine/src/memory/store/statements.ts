import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

/** Prepares each SQL text once. The texts are few: filters have few forms. */
export function statementsOf(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    const found = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, found);
    return found;
  };
}

export type Columns = readonly SQLOutputValue[];

/** A statement whose rows are arrays, in the order of its columns: Node makes them faster than objects. */
export function columnsOf(database: DatabaseSync, sql: string): (...values: SQLInputValue[]) => readonly Columns[] {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  // The type definitions know rows only as objects.
  return (...values) => statement.all(...values) as unknown as readonly Columns[];
}
