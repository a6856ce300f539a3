import type { NodeUser } from '@hamlet/contract';
import type { PodReading } from './sources/kubelet-summary.ts';
import type { ratesOf } from './meters.ts';

export interface KnownPod {
  readonly pod: PodReading;
  readonly isVillage: boolean;
  /** Set if it is the pod of an agent's present cycle. */
  readonly agentId: string | undefined;
  readonly rates: ReturnType<typeof ratesOf>;
}

const USERS_MAX = 24;

const sum = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0));

function nameOf({ pod, isVillage, agentId }: KnownPod): Pick<NodeUser, 'kind' | 'name'> {
  if (agentId !== undefined) return { kind: 'agent', name: agentId };
  return isVillage ? { kind: 'village', name: pod.name } : { kind: 'namespace', name: pod.namespace };
}

/** The largest users of memory first: each pod of the village, and one line for each other namespace. */
export function usersOf(pods: readonly KnownPod[]): NodeUser[] {
  const users = new Map<string, NodeUser>();
  for (const known of pods) {
    const named = nameOf(known);
    const key = `${named.kind}/${named.name}`;
    const before = users.get(key);
    users.set(key, {
      ...named,
      cpu_cores: sum(before?.cpu_cores ?? null, known.rates.cpuCores),
      memory_bytes: (before?.memory_bytes ?? 0) + known.pod.memoryBytes,
    });
  }
  return [...users.values()].toSorted((a, b) => b.memory_bytes - a.memory_bytes).slice(0, USERS_MAX);
}
