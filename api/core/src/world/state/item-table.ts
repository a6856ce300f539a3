import { ITEM_KINDS, type ItemKind } from '@hamlet/contract';

/** An item lies on a tile (an index) or an agent holds it (a slot); the other field is -1. */
export interface Item {
  readonly number: number;
  readonly kind: ItemKind;
  readonly tile: number;
  readonly holder: number;
}

/** `lyingAt` is derived: at most one item lies on a tile. */
export interface ItemTable {
  readonly byNumber: Map<number, Item>;
  readonly lyingAt: Map<number, number>;
  next: number;
}

export const createItemTable = (): ItemTable => ({ byNumber: new Map(), lyingAt: new Map(), next: 1 });

/** Id of an item, such as `apple-17`. */
export const itemId = (kind: ItemKind, number: number): string => `${kind}-${number}`;

export function parseItemId(id: string): { readonly kind: ItemKind; readonly number: number } | null {
  const dash = id.lastIndexOf('-');
  const kind = ITEM_KINDS.find((known) => known === id.slice(0, dash));
  const number = Number(id.slice(dash + 1));
  return kind === undefined || !Number.isInteger(number) ? null : { kind, number };
}

export function findItem(items: ItemTable, id: string): Item | null {
  const parsed = parseItemId(id);
  const item = parsed === null ? undefined : items.byNumber.get(parsed.number);
  return item === undefined || item.kind !== parsed?.kind ? null : item;
}
