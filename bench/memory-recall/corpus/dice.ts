import { drawBelow } from '@hamlet/core';

/** Seeded draws: the same seed gives the same sequence. */
export interface Dice {
  below(bound: number): number;
  chance(percent: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
}

export function diceOf(...seed: readonly number[]): Dice {
  let drawn = 0;
  const below = (bound: number): number => drawBelow(bound, ...seed, (drawn += 1));
  return {
    below,
    chance: (percent) => below(100) < percent,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    shuffle: (items) => {
      const rest = [...items];
      return items.map(() => rest.splice(below(rest.length), 1)).flat();
    },
  };
}
