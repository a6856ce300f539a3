import type { NodeBoard, Seated } from './node-board.ts';
import { add, fits, type Amounts } from './room.ts';

/** The agents that have to leave a node for one of a higher rank. */
export interface Displacement {
  readonly board: NodeBoard;
  readonly victims: readonly Seated[];
}

/** The fewest that have to go, the lowest tier first; those that can stay after all stay, the highest first. */
function victimsOn(board: NodeBoard, size: Amounts, rank: number): readonly Seated[] | undefined {
  if (!board.couldFit(size, rank)) return undefined;
  const room = [...board.free];
  const chosen: Seated[] = [];
  for (const agent of board.displaceable(rank)) {
    if (fits(size, room)) break;
    add(room, agent.size, 1);
    chosen.push(agent);
  }
  if (!fits(size, room)) return undefined;
  return chosen.toReversed().filter((agent) => {
    add(room, agent.size, -1);
    if (fits(size, room)) return false;
    add(room, agent.size, 1);
    return true;
  });
}

const highest = (victims: readonly Seated[]): number =>
  victims.reduce((rank, victim) => Math.max(rank, victim.rank), Number.NEGATIVE_INFINITY);

/** The lower ranks have to leave first, then the smaller number of agents. */
const milderFirst = (a: Displacement, b: Displacement): number =>
  highest(a.victims) - highest(b.victims) || a.victims.length - b.victims.length;

/** The mildest way to make room for `size` on one of `boards` by taking from lower ranks, on the first of equals; undefined if there is none. */
export function displacementFor(boards: readonly NodeBoard[], size: Amounts, rank: number): Displacement | undefined {
  let best: Displacement | undefined;
  for (const board of boards) {
    const victims = victimsOn(board, size, rank);
    if (victims === undefined) continue;
    const found = { board, victims };
    if (best === undefined || milderFirst(found, best) < 0) best = found;
  }
  return best;
}
