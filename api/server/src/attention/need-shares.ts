import { NEED_KINDS, type Need } from '@hamlet/contract';

/**
 * At most `max` needs, in the order of the list. Each kind has an equal share of the room before any kind has more, so
 * that hundreds of one kind do not hide another. Pure.
 */
export function sharedNeeds(needs: readonly Need[], max: number): Need[] {
  if (needs.length <= max) return [...needs];
  const share = Math.floor(max / NEED_KINDS.length);
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
