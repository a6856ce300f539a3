import { z } from 'zod';

/** A node has at most 500 pods in any supported setup. */
const PODS_MAX = 1_024;
const PARTS_MAX = 256;
const NAME_MAX_CHARS = 253;

const Name = z.string().max(NAME_MAX_CHARS);
/** Sums of such counts stay finite: an infinite one would cost the figures of all nodes. */
const Count = z.number().min(0).max(Number.MAX_SAFE_INTEGER).optional();
const Time = z.iso.datetime().nullish();
const Waiting = z.object({ some: z.object({ avg60: z.number().min(0).max(100) }) }).optional();
const Cpu = z.object({ time: Time, usageCoreNanoSeconds: Count, psi: Waiting }).optional();
const Memory = z.object({ availableBytes: Count, workingSetBytes: Count, psi: Waiting }).optional();
const Files = z.object({ availableBytes: Count, capacityBytes: Count, usedBytes: Count }).optional();
const Network = z.object({ time: Time, rxBytes: Count, txBytes: Count }).optional();

const Pod = z.object({
  podRef: z.object({ name: Name, namespace: Name, uid: Name }),
  cpu: Cpu,
  memory: Memory,
  network: Network,
  'ephemeral-storage': Files,
  volume: z
    .array(z.object({ usedBytes: Count, pvcRef: z.object({ name: Name }).optional() }))
    .max(PARTS_MAX)
    .optional(),
});

/** The fields that the API reads of the kubelet's /stats/summary. */
const Summary = z.object({
  node: z.object({
    cpu: Cpu,
    memory: Memory,
    fs: Files,
    network: Network,
    io: z.object({ psi: Waiting }).optional(),
  }),
  pods: z.array(Pod).max(PODS_MAX).nullish(),
});

/** A counter that only grows, with the time at which the kubelet read it. */
export interface Counter {
  readonly atMs: number;
  readonly value: number;
}

export interface Counters {
  /** Nanoseconds of cpu. */
  readonly cpu: Counter | null;
  readonly received: Counter | null;
  readonly sent: Counter | null;
}

export interface PodReading extends Counters {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

export interface SummaryReading extends Counters {
  readonly memoryAvailableBytes: number | null;
  readonly diskTotalBytes: number | null;
  readonly diskAvailableBytes: number | null;
  readonly cpuPressure: number | null;
  readonly memoryPressure: number | null;
  readonly ioPressure: number | null;
  readonly pods: readonly PodReading[];
}

type RawSummary = z.infer<typeof Summary>;
type RawPod = z.infer<typeof Pod>;

const counterOf = (time: string | null | undefined, value: number | undefined): Counter | null =>
  time === null || time === undefined || value === undefined ? null : { atMs: Date.parse(time), value };

const countersOf = ({ cpu, network }: Pick<RawPod, 'cpu' | 'network'>): Counters => ({
  cpu: counterOf(cpu?.time, cpu?.usageCoreNanoSeconds),
  received: counterOf(network?.time, network?.rxBytes),
  sent: counterOf(network?.time, network?.txBytes),
});

function podOf(pod: RawPod): PodReading {
  const { podRef, memory, volume = [], 'ephemeral-storage': own } = pod;
  // Volumes without a claim, such as an emptyDir, are part of the ephemeral storage.
  const claims = volume.filter(({ pvcRef }) => pvcRef !== undefined);
  return {
    ...countersOf(pod),
    ...podRef,
    memoryBytes: memory?.workingSetBytes ?? 0,
    diskBytes: claims.reduce((sum, { usedBytes = 0 }) => sum + usedBytes, own?.usedBytes ?? 0),
  };
}

const waiting = (psi: z.infer<typeof Waiting>): number | null => psi?.some.avg60 ?? null;

const resourcesOf = ({ cpu, memory, io, fs }: RawSummary['node']) => ({
  memoryAvailableBytes: memory?.availableBytes ?? null,
  diskTotalBytes: fs?.capacityBytes ?? null,
  diskAvailableBytes: fs?.availableBytes ?? null,
  cpuPressure: waiting(cpu?.psi),
  memoryPressure: waiting(memory?.psi),
  ioPressure: waiting(io?.psi),
});

const readingOf = ({ node, pods }: RawSummary): SummaryReading => ({
  ...countersOf(node),
  ...resourcesOf(node),
  pods: (pods ?? []).map(podOf),
});

/** Null if the text is not a summary of a kubelet, or has more pods than a node can run. */
export function readSummary(text: string): SummaryReading | null {
  try {
    const parsed = Summary.safeParse(JSON.parse(text));
    return parsed.success ? readingOf(parsed.data) : null;
  } catch {
    return null;
  }
}
