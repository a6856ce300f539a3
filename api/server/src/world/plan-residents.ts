import type { LifecycleCommand } from '@hamlet/contract';

export interface WantedResident {
  readonly agentId: string;
  readonly uid: string;
  readonly displayName: string;
  readonly home: string | null;
  readonly tier: number;
  readonly awake: boolean;
  readonly online: boolean;
}

/** An agent that is in the world; `uid` is the life that it was spawned for, null if that is unknown. */
export interface PlacedResident extends Omit<WantedResident, 'uid'> {
  readonly uid: string | null;
}

/** The commands that bring the world to exactly the wanted agents in their wanted state; empty if it is in that state already. Pure. */
export function planResidents(
  wanted: readonly WantedResident[],
  placed: readonly PlacedResident[],
): readonly LifecycleCommand[] {
  const wantedById = new Map(wanted.map((resident) => [resident.agentId, resident]));
  const staying = new Map<string, PlacedResident>();
  const commands: LifecycleCommand[] = [];
  for (const resident of placed) {
    const life = wantedById.get(resident.agentId);
    if (life !== undefined && (resident.uid === null || resident.uid === life.uid))
      staying.set(resident.agentId, resident);
    else commands.push({ kind: 'despawn', agent_id: resident.agentId });
  }
  for (const resident of wanted) commands.push(...settle(resident, staying.get(resident.agentId)));
  return commands;
}

function settle(wanted: WantedResident, placed: PlacedResident | undefined): readonly LifecycleCommand[] {
  const { agentId, displayName, home, tier, awake, online } = wanted;
  if (placed === undefined) {
    return [
      {
        kind: 'spawn',
        agent_id: agentId,
        display_name: displayName,
        tier,
        awake,
        online,
        ...(home === null ? {} : { home }),
      },
    ];
  }
  const change = {
    ...(placed.displayName === displayName ? {} : { display_name: displayName }),
    ...(home === null || placed.home === home ? {} : { home }),
    ...(placed.tier === tier ? {} : { tier }),
    ...(placed.awake === awake ? {} : { awake }),
    ...(placed.online === online ? {} : { online }),
  };
  return Object.keys(change).length === 0 ? [] : [{ kind: 'state', agent_id: agentId, ...change }];
}
