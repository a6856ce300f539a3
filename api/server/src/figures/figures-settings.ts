import { z } from 'zod';

const isHttp = (text: string): boolean => URL.canParse(text) && new URL(text).protocol === 'http:';

export const FIGURES_ENVIRONMENT = {
  HAMLET_FIGURES: z
    .enum(['0', '1'])
    .default('1')
    .describe('1: the api reads the use of cpu, memory, disk and network from the kubelets; 0: it reads none (1)'),
  HAMLET_KUBELET_CA_FILE: z
    .string()
    .optional()
    .describe("PEM file with the issuers of the kubelets' certificates (the CA of the cluster)"),
  HAMLET_DCGM_URL: z
    .string()
    .refine(isHttp, 'write an address like http://dcgm-exporter.gpu:9400/metrics')
    .optional()
    .describe('http address of the exporters of DCGM, one for each address of its host; no figures of GPUs without it'),
  HAMLET_MEMORY_GUARD: z
    .enum(['0', '1'])
    .default('1')
    .describe('1: the api pauses agents on a node that is short of memory; 0: it never does (1)'),
  HAMLET_MEMORY_GUARD_AVAILABLE_PERCENT: z.coerce
    .number()
    .min(0)
    .max(50)
    .default(5)
    .describe('MemAvailable of a node, in percent of its memory, below which it is short (5)'),
  HAMLET_MEMORY_GUARD_STALLED_PERCENT: z.coerce
    .number()
    .min(1)
    .max(100)
    .default(10)
    .describe('percent of ten seconds in which all work of a node waited for memory, above which it is short (10)'),
  HAMLET_NODE_NAME: z
    .string()
    .max(253)
    .optional()
    .describe("the replica's node, whose free memory, pressure and temperature it reports"),
} as const;

type Variables = z.infer<z.ZodObject<typeof FIGURES_ENVIRONMENT>>;

export function figuresSettingsOf(env: Variables) {
  return {
    on: env.HAMLET_FIGURES === '1',
    kubeletCaFile: env.HAMLET_KUBELET_CA_FILE,
    dcgmUrl: env.HAMLET_DCGM_URL === undefined ? undefined : new URL(env.HAMLET_DCGM_URL),
    nodeName: env.HAMLET_NODE_NAME,
    guard:
      env.HAMLET_MEMORY_GUARD === '0'
        ? null
        : {
            availablePercent: env.HAMLET_MEMORY_GUARD_AVAILABLE_PERCENT,
            stalledPercent: env.HAMLET_MEMORY_GUARD_STALLED_PERCENT,
          },
  };
}

export type FiguresSettings = ReturnType<typeof figuresSettingsOf>;
