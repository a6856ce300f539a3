import type { Activity, Affordance, ItemKind } from '@hamlet/contract';

/** `ticks` is the length of the activity. */
export interface UseEffect {
  readonly activity: Activity;
  readonly ticks: number;
  readonly gives?: { readonly kind: ItemKind; readonly percent: number };
}

export const AFFORDANCE_EFFECTS: Readonly<Record<Affordance, UseEffect>> = {
  sleep: { activity: 'sleeping', ticks: 4800 },
  rest: { activity: 'resting', ticks: 600 },
  coffee: { activity: 'drinking_coffee', ticks: 300, gives: { kind: 'coffee', percent: 100 } },
  bread: { activity: 'shopping', ticks: 150, gives: { kind: 'bread', percent: 100 } },
  craft: { activity: 'crafting', ticks: 600, gives: { kind: 'tool', percent: 50 } },
  read: { activity: 'reading', ticks: 600 },
  water: { activity: 'drawing_water', ticks: 100 },
  fish: { activity: 'fishing', ticks: 400, gives: { kind: 'fish', percent: 60 } },
  tend: { activity: 'tending', ticks: 400, gives: { kind: 'flower', percent: 30 } },
  gather_wood: { activity: 'gathering_wood', ticks: 300, gives: { kind: 'wood', percent: 80 } },
  sit: { activity: 'sitting', ticks: 300 },
  board: { activity: 'at_board', ticks: 100 },
  meet: { activity: 'meeting', ticks: 300 },
  stargaze: { activity: 'stargazing', ticks: 600 },
};

/** `usedUp` removes the item. */
export const ITEM_EFFECTS: Readonly<Record<ItemKind, UseEffect & { readonly usedUp: boolean }>> = {
  apple: { activity: 'eating', ticks: 60, usedUp: true },
  flower: { activity: 'smelling', ticks: 30, usedUp: false },
  wood: { activity: 'working', ticks: 200, usedUp: true },
  fish: { activity: 'eating', ticks: 100, usedUp: true },
  bread: { activity: 'eating', ticks: 80, usedUp: true },
  coffee: { activity: 'drinking', ticks: 60, usedUp: true },
  book: { activity: 'reading', ticks: 400, usedUp: false },
  tool: { activity: 'working', ticks: 200, usedUp: false },
};
