import { useMemo } from 'react';
import { useVillageState } from '../village-context.ts';

/** The ids and names of the village's agents. */
export function useAgentNames(): readonly { readonly id: string; readonly name: string }[] {
  const details = useVillageState((state) => state.details);
  return useMemo(
    () =>
      [...details.values()]
        .map(({ agent_id: id, display_name: name }) => ({ id, name }))
        .toSorted((left, right) => left.name.localeCompare(right.name)),
    [details],
  );
}

/** The display name of an agent; its id if the village does not have it. */
export function useAgentName(id: string): string {
  return useVillageState((state) => state.details.get(id)?.display_name ?? id);
}
