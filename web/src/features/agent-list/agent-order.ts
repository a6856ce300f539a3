import type { AgentDetail } from '@hamlet/contract';
import type { Row } from '../../client/app-state.ts';
import { readAmount } from '../../client/labels.ts';

export const ORDERS = [
  { key: 'name', word: 'By name' },
  { key: 'richest', word: 'Richest first' },
  { key: 'poorest', word: 'Poorest first' },
] as const;
export type Order = (typeof ORDERS)[number]['key'];

/** `rows` are in the order of names, and equal balances keep it. Unknown balances come last. */
export function orderedRows(
  rows: readonly Row[],
  details: ReadonlyMap<string, AgentDetail>,
  { filter, order }: { readonly filter: string; readonly order: Order },
): readonly Row[] {
  const wanted = filter.trim().toLowerCase();
  const found =
    wanted === ''
      ? rows
      : rows.filter((row) =>
          [row.name, row.id, row.place ?? '', row.heading ?? '', row.node ?? '', row.activity].some((text) =>
            text.toLowerCase().includes(wanted),
          ),
        );
  if (order === 'name') return found;
  const balanceOf = new Map(
    found.map(({ id }) => {
      const balance = details.get(id)?.balance ?? null;
      return [id, balance === null ? null : readAmount(balance)] as const;
    }),
  );
  return found.toSorted((left, right) => {
    const [one, other] = [balanceOf.get(left.id) ?? null, balanceOf.get(right.id) ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    const rise = one < other ? -1 : one > other ? 1 : 0;
    return order === 'richest' ? -rise : rise;
  });
}
