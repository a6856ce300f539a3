import { NEED_KINDS, type Need } from '@hamlet/contract';

/** Each kind has this part of the room before any kind has more, so that hundreds of one kind hide no other. */
const SHARE = 1 / NEED_KINDS.length;

/** At most `max` needs in their order: of each kind its share first, then the rest of the room in the order of the list. Pure. */
export function sharedNeeds(needs: readonly Need[], max: number): Need[] {
  if (needs.length <= max) return [...needs];
  const share = Math.floor(max * SHARE);
  const taken = new Map<Need['kind'], number>();
  const chosen = new Set<Need>();
  for (const need of needs) {
    const count = taken.get(need.kind) ?? 0;
    if (count >= share) continue;
    taken.set(need.kind, count + 1);
    chosen.add(need);
  }
  for (const need of needs) if (chosen.size < max) chosen.add(need);
  return needs.filter((need) => chosen.has(need));
}
