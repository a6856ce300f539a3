import { bytes, cpuMillis, quantity, type Room } from '@hamlet/core/seats';
import type { KubeObject } from '@hamlet/kube';
import { HANDS } from '../../objects/hands.ts';
import { AGENT_ROLE, HANDS_ANNOTATION, ROLE_LABEL } from '../../objects/names.ts';

export interface ForeignPodView extends KubeObject {
  /** The pod's node, or the node on which the scheduler is making room for the pod. */
  readonly nodeName: string | undefined;
  readonly takes: Room;
}

type Amounts = Readonly<Record<string, string>>;

interface RawContainer {
  readonly name?: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts };
}

interface RawPod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly RawContainer[];
    readonly initContainers?: readonly RawContainer[];
    readonly overhead?: Amounts;
    readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts };
  };
  readonly status?: { readonly nominatedNodeName?: string };
}

/** `seat`: counts limits, but for a resident and its init container only the guaranteed cpu, as its own operator counts it. */
type Kind = 'requests' | 'limits' | 'seat';

const EMPTY: Amounts = {};

function asked({ name, resources: { requests = EMPTY, limits = EMPTY } = {} }: RawContainer, kind: Kind): Amounts {
  if (kind === 'requests') return requests;
  const { cpu } = requests;
  return { ...requests, ...limits, ...(kind === 'seat' && name !== HANDS && cpu !== undefined ? { cpu } : {}) };
}

const namesOf = (parts: readonly Amounts[]): readonly string[] => [
  ...new Set(parts.flatMap((part) => Object.keys(part))),
];

const READERS: Readonly<Record<string, (value: string | undefined) => number>> = { cpu: cpuMillis, memory: bytes };

/**
 * The resources that the scheduler counts for a pod: the sum of its containers and sidecars, or its largest init container with
 * the sidecars that start before it, if that is more.
 */
function effective(
  { containers = [], initContainers = [], overhead = EMPTY, resources = {} }: NonNullable<RawPod['spec']>,
  kind: Kind,
): ReadonlyMap<string, number> {
  const mains = containers.map((container) => asked(container, kind));
  const starts = initContainers.map((container) => ({
    stays: container.restartPolicy === 'Always',
    part: asked(container, kind),
  }));
  const whole = asked({ name: HANDS, resources }, kind);
  const total = (name: string): number => {
    const read = READERS[name] ?? quantity;
    let [sidecars, largest] = [0, 0];
    for (const { stays, part } of starts) {
      const together = sidecars + read(part[name]);
      if (stays) sidecars = together;
      largest = Math.max(largest, together);
    }
    const running = mains.reduce((sum, part) => sum + read(part[name]), sidecars);
    return (name in whole ? read(whole[name]) : Math.max(running, largest)) + read(overhead[name]);
  };
  const parts = [...mains, ...starts.map(({ part }) => part), whole, overhead];
  return new Map(namesOf(parts).map((name) => [name, total(name)]));
}

/** One shared object for each size, because many pods share few sizes. */
const ROOMS = new Map<string, Room>();
const MAX_ROOMS = 4_096;

function shared(room: Room): Room {
  const key = JSON.stringify(room);
  const known = ROOMS.get(key);
  if (known !== undefined) return known;
  if (ROOMS.size < MAX_ROOMS) ROOMS.set(key, room);
  return room;
}

export function roomOf(spec: NonNullable<RawPod['spec']>, kind: Kind): Room {
  const all = effective(spec, kind);
  const devices = [...all].filter(([name, amount]) => name.includes('/') && amount > 0);
  return shared({
    cpuMillis: all.get('cpu') ?? 0,
    memoryBytes: all.get('memory') ?? 0,
    pods: 1,
    devices: Object.fromEntries(devices),
  });
}

/** The view of a foreign pod. An agent of another village counts with its limits, any other pod with its requests. */
export function foreignPodView({ metadata, spec = {}, status }: RawPod): ForeignPodView {
  const { name, namespace, uid, resourceVersion, labels, annotations } = metadata;
  const agents = annotations?.[HANDS_ANNOTATION] === undefined ? 'limits' : 'seat';
  const kind = labels?.[ROLE_LABEL] === AGENT_ROLE ? agents : 'requests';
  return {
    metadata: { name, uid, resourceVersion, ...(namespace === undefined ? {} : { namespace }) },
    nodeName: spec.nodeName ?? status?.nominatedNodeName,
    takes: roomOf(spec, kind),
  };
}
