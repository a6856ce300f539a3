import { shorten } from '@hamlet/core/shorten';
import type { Invocation } from './command.ts';

/** Prints a value as JSON for `--output=json`, else as text. */
export function printed(
  { json, print }: Pick<Invocation, 'json' | 'print'>,
  value: unknown,
  text: () => string | readonly string[],
): void {
  if (json) return print(JSON.stringify(value, null, 2));
  for (const line of [text()].flat()) print(line);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}

export function listed<T>(
  items: readonly T[],
  none: string,
  columns: Readonly<Record<string, (item: T) => string | number>>,
): string {
  if (items.length === 0) return none;
  const cells = Object.values(columns);
  return table(
    Object.keys(columns),
    items.map((item) => cells.map((cell) => String(cell(item)))),
  );
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
] as const;

/** Time since a moment, or until it: `5m`, `in 20s`. */
export function age(time: string | undefined | null, nowMs: number): string {
  if (time === undefined || time === null || Number.isNaN(Date.parse(time))) return '-';
  const agoMs = nowMs - Date.parse(time);
  const [unitMs, unit] = UNITS.find(([size]) => Math.abs(agoMs) >= size) ?? [1_000, 's'];
  const text = `${Math.floor(Math.abs(agoMs) / unitMs)}${unit}`;
  return agoMs < 0 ? `in ${text}` : text;
}

export const brief = (text: string, most: number): string => shorten(text.split('\n')[0] ?? '', most);
