import { z } from 'zod';

export const ITEM_KINDS = ['apple', 'flower', 'wood', 'fish', 'bread', 'coffee', 'book', 'tool'] as const;
export const ItemKind = z.enum(ITEM_KINDS);
export type ItemKind = z.infer<typeof ItemKind>;

/** An item's id says what it is: `apple-17`; the number is unique over all kinds. */
export const ItemId = z.string().regex(/^[a-z]+-[0-9]{1,10}$/, 'write an item id such as apple-17');
export type ItemId = z.infer<typeof ItemId>;
