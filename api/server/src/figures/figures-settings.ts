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
  };
}

export type FiguresSettings = ReturnType<typeof figuresSettingsOf>;
