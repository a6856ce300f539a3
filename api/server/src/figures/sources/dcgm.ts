import { readExposition, type Sample } from '../../service/exposition.ts';

/** One GPU, as an exporter of DCGM describes it. */
export interface GpuReading {
  readonly id: string;
  readonly node: string;
  readonly model: string | null;
  readonly busyPercent: number | null;
  readonly memoryUsedBytes: number | null;
  readonly memoryTotalBytes: number | null;
  readonly temperatureCelsius: number | null;
  readonly powerWatts: number | null;
  /** The pods that hold it. */
  readonly pods: readonly { readonly namespace: string; readonly name: string }[];
}

const MIB = 2 ** 20;
const BUSY = 'DCGM_FI_DEV_GPU_UTIL';
const USED = 'DCGM_FI_DEV_FB_USED';
const FREE = 'DCGM_FI_DEV_FB_FREE';
const TEMPERATURE = 'DCGM_FI_DEV_GPU_TEMP';
const POWER = 'DCGM_FI_DEV_POWER_USAGE';
const METRICS: ReadonlySet<string> = new Set([BUSY, USED, FREE, TEMPERATURE, POWER]);
/** DCGM marks a field that a device lacks, such as the memory of a GPU that shares it, with a number above this one. */
const BLANK = 2 ** 47;
const GPUS_MAX = 64;
const PODS_MAX = 64;
const TEXT_MAX_CHARS = 253;

const clipped = (text: string | undefined): string => (text ?? '').slice(0, TEXT_MAX_CHARS);
const numberOf = (samples: readonly Sample[], metric: string): number | null => {
  const value = samples.find(({ name }) => name === metric)?.value;
  return value === undefined || value < 0 || value >= BLANK ? null : value;
};

function podsOf(samples: readonly Sample[]): GpuReading['pods'] {
  const pods = new Map<string, { readonly namespace: string; readonly name: string }>();
  for (const { labels } of samples) {
    // A scraper that keeps its own labels renames those of the exporter.
    const name = clipped(labels['exported_pod'] ?? labels['pod']);
    const namespace = clipped(labels['exported_namespace'] ?? labels['namespace']);
    if (name !== '' && pods.size < PODS_MAX) pods.set(`${namespace}/${name}`, { namespace, name });
  }
  return [...pods.values()];
}

function gpuOf(samples: readonly Sample[], labels: Sample['labels']): GpuReading {
  const used = numberOf(samples, USED);
  const free = numberOf(samples, FREE);
  const busy = numberOf(samples, BUSY);
  const hasMemory = used !== null && free !== null && used + free > 0;
  return {
    id: clipped(labels['gpu'] ?? labels['UUID']),
    node: clipped(labels['Hostname']),
    model: clipped(labels['modelName']) || null,
    busyPercent: busy === null ? null : Math.min(100, busy),
    memoryUsedBytes: hasMemory ? used * MIB : null,
    memoryTotalBytes: hasMemory ? (used + free) * MIB : null,
    temperatureCelsius: numberOf(samples, TEMPERATURE),
    powerWatts: numberOf(samples, POWER),
    pods: podsOf(samples),
  };
}

/** The GPUs in the text of one exporter, at most 64. */
export function readDcgm(text: string): readonly GpuReading[] {
  const byGpu = new Map<string, Sample[]>();
  for (const sample of readExposition(text, METRICS)) {
    const { Hostname = '', UUID = '', gpu = '', GPU_I_ID = '' } = sample.labels;
    const key = [Hostname, UUID || gpu, GPU_I_ID].join('\n');
    const known = byGpu.get(key);
    if (known !== undefined) known.push(sample);
    else if (byGpu.size < GPUS_MAX) byGpu.set(key, [sample]);
  }
  return [...byGpu.values()].map((samples) => gpuOf(samples, samples[0]?.labels ?? {}));
}
