import type { AgentDetail, EntitlementView } from '@hamlet/contract';

export type Occupant = Pick<
  AgentDetail,
  'agent_id' | 'display_name' | 'tier' | 'node' | 'pod' | 'power' | 'conditions'
> & { readonly why: AgentDetail['why'] };

/** The seats of a tier: used by its own agents, used by other tiers, and free. */
export type SeatPicture = Readonly<{ own: number; others: number; free: number; total: number }>;

/** Reasons why an agent is not Admitted other than a missing seat. `Waiting`: it has not asked for a seat yet. */
const OTHER_REASONS: ReadonlySet<string> = new Set(['Waiting', 'Asleep', 'Terminating', 'UserNamespaceUnavailable']);

/** All tiers share the nodes: other tiers use the rest of the taken seats. Null before the first count. */
export function seatPicture({ seats }: Pick<EntitlementView, 'seats'>, seated: number): SeatPicture | null {
  if (seats === null) return null;
  const taken = Math.max(0, seats.total - seats.free);
  const own = Math.min(seated, taken);
  return { own, others: taken - own, free: seats.free, total: seats.total };
}

/** True if an agent has a seat: it is admitted, or it has a pod and no condition Admitted. */
export function isSeated({ conditions, pod, power }: Pick<Occupant, 'conditions' | 'pod' | 'power'>): boolean {
  if (power === 'Asleep') return false;
  const admitted = conditions.find(({ type }) => type === 'Admitted');
  return admitted === undefined ? pod !== null : admitted.status === 'True';
}

export type Waiting = Readonly<{ agent: Occupant; reason: string; message: string; since: string }>;

/** The agents that wait for a seat; the longest wait comes first. */
export function waitingOf(agents: readonly Occupant[]): Waiting[] {
  return agents
    .flatMap((agent) => {
      const admitted = agent.conditions.find(({ type }) => type === 'Admitted');
      if (
        agent.power === 'Asleep' ||
        admitted === undefined ||
        admitted.status === 'True' ||
        OTHER_REASONS.has(admitted.reason)
      )
        return [];
      return [{ agent, reason: admitted.reason, message: admitted.message, since: admitted.last_transition_time }];
    })
    .toSorted((left, right) => left.since.localeCompare(right.since));
}

type NodeGroup = Readonly<{ node: string; agents: readonly Occupant[] }>;

export function nodeGroups(agents: readonly Occupant[]): NodeGroup[] {
  const nodes = [...new Set(agents.flatMap(({ node }) => (node === null ? [] : [node])))].toSorted();
  return nodes.map((node) => ({
    node,
    agents: agents
      .filter((agent) => agent.node === node)
      .toSorted((left, right) => left.display_name.localeCompare(right.display_name)),
  }));
}

export function tierCounts(agents: readonly Pick<Occupant, 'tier'>[]): string {
  const names = agents.map(({ tier }) => tier ?? 'no tier');
  return [...new Set(names)]
    .toSorted()
    .map((name) => {
      const count = names.filter((other) => other === name).length;
      return count === 1 ? name : `${name} × ${count}`;
    })
    .join(', ');
}

export function computeLabel({ cpu, memory, gpu }: EntitlementView['compute']): string {
  const parts = [/^[0-9]+$/.test(cpu) ? `${cpu} ${cpu === '1' ? 'core' : 'cores'}` : `${cpu} cpu`, memory];
  if (gpu.mode === 'Shared') parts.push('a shared GPU');
  if (gpu.mode === 'Exclusive') parts.push(gpu.count <= 1 ? 'a GPU of its own' : `${gpu.count} GPUs of its own`);
  return parts.join(', ');
}

export function hourlyPrices(
  agents: readonly Occupant[],
  tiers: readonly Pick<EntitlementView, 'name' | 'price'>[],
): string[] {
  return agents.filter(isSeated).flatMap(({ tier }) => tiers.find(({ name }) => name === tier)?.price.per_hour ?? []);
}
