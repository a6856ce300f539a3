/** One field of each row, or several fields as a list, to compare the rows with expected values. */
export function pluck<T, K extends keyof T>(rows: readonly T[], field: K): T[K][];
export function pluck<T>(rows: readonly T[], ...fields: readonly (keyof T)[]): T[keyof T][][];
export function pluck<T>(rows: readonly T[], ...fields: readonly (keyof T)[]): unknown[] {
  const [only, ...more] = fields;
  return rows.map((row) => (only !== undefined && more.length === 0 ? row[only] : fields.map((field) => row[field])));
}
