import { SERVICE_ACCOUNT_DIR } from '@hamlet/kube';
import { bytes, cpuMillis, type Room } from '@hamlet/core/seats';
import * as z from 'zod';
import type { Settings } from './kinds/agent/facts.ts';

const HostPort = z.string().regex(/^.+:[0-9]{1,5}$/, 'write HOST:PORT, for example 0.0.0.0:9090');
const Quantity = z
  .string()
  .regex(/^[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/, 'write an amount as Kubernetes does, for example 500m or 2Gi');
const Text = z.string().min(1);
const count = (most: number, otherwise: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(1).max(most).default(otherwise);

export const Environment = z.object({
  HAMLET_NAMESPACE: Text.optional().describe(
    'Namespace of the village; that of the pod or the kubeconfig if left out.',
  ),
  HAMLET_API_URL: z.url().describe("The api's listener for agents, for example http://hamlet-api-agents:8081."),
  HAMLET_AGENT_API_URL: z.url().optional().describe('URL of that listener for agents; HAMLET_API_URL if left out.'),
  HAMLET_BROKER_URL: z
    .url({ protocol: /^http$/ })
    .optional()
    .describe('Origin of the broker for agents; without it their pods reach the API alone.'),
  HAMLET_AGENT_IMAGE: Text.describe('Image of the agents.'),
  HAMLET_METRICS_LISTEN: HostPort.default('127.0.0.1:9090').describe('Address of /livez, /readyz and /metrics.'),
  HAMLET_TOKEN_FILE: z.string().optional().describe('Token for the api.'),
  HAMLET_KUBECONFIG: z.string().optional().describe('Kubeconfig; the service account of the pod if left out.'),
  HAMLET_SERVICE_ACCOUNT_DIR: z
    .string()
    .default(SERVICE_ACCOUNT_DIR)
    .describe('Token, certificate and namespace of the pod.'),
  HAMLET_POD_UID: z.string().default('process').describe('Uid of this pod, for the Lease.'),
  HAMLET_AGENT_SERVICE_ACCOUNT: z.string().default('hamlet-agent').describe('ServiceAccount of the agents.'),
  HAMLET_STORAGE_CLASS: Text.optional().describe(
    "StorageClass of the agents' volumes; the cluster's default if left out.",
  ),
  HAMLET_AGENT_IMAGE_PULL_POLICY: z
    .enum(['Always', 'IfNotPresent', 'Never'])
    .default('IfNotPresent')
    .describe("Pull policy of the agents' image."),
  HAMLET_AGENT_IMAGE_PULL_SECRETS: z.string().default('').describe('Names of pull secrets, separated by commas.'),
  HAMLET_HANDS_IMAGES: z
    .string()
    .default('')
    .describe(
      'Images that an Agent may name in spec.hands.image, with commas: names, or what they begin with up to a /, : or @.',
    ),
  HAMLET_USER_NAMESPACES: z
    .enum(['On', 'Off'])
    .default('On')
    .describe('On or Off: user namespaces for pods (Kubernetes 1.33 or newer, containerd 2).'),
  HAMLET_APPARMOR: z
    .enum(['RuntimeDefault', 'Off'])
    .default('Off')
    .describe(
      'RuntimeDefault or Off: whether pods require AppArmor. With Off, nodes that have AppArmor still confine them.',
    ),
  HAMLET_SEAT_RESERVE_CPU: Quantity.default('100m').describe('Cpu of every node that seats cannot use.'),
  HAMLET_SEAT_RESERVE_MEMORY: Quantity.default('256Mi').describe('Memory of every node that seats cannot use.'),
  HAMLET_WORKERS: count(256, 16).describe('Maximum number of Agents that are reconciled at the same time.'),
  HAMLET_KUBE_QPS: count(10_000, 500).describe('Requests a second to the API server.'),
});
export type Environment = z.infer<typeof Environment>;

const listOf = (text: string): readonly string[] => text.split(',').filter((name) => name !== '');

export function settingsOf(environment: Environment): Settings {
  return {
    image: environment.HAMLET_AGENT_IMAGE,
    imagePullPolicy: environment.HAMLET_AGENT_IMAGE_PULL_POLICY,
    imagePullSecrets: listOf(environment.HAMLET_AGENT_IMAGE_PULL_SECRETS),
    handsImages: listOf(environment.HAMLET_HANDS_IMAGES),
    apiUrl: environment.HAMLET_AGENT_API_URL ?? environment.HAMLET_API_URL,
    brokerUrl: environment.HAMLET_BROKER_URL,
    hosts: [],
    serviceAccount: environment.HAMLET_AGENT_SERVICE_ACCOUNT,
    storageClass: environment.HAMLET_STORAGE_CLASS,
    userNamespaces: environment.HAMLET_USER_NAMESPACES,
    appArmor: environment.HAMLET_APPARMOR,
  };
}

/** Resources on each node that seats cannot use, in addition to the requests of the node's pods. */
export function reserveOf({ HAMLET_SEAT_RESERVE_CPU: cpu, HAMLET_SEAT_RESERVE_MEMORY: memory }: Environment): Room {
  return { cpuMillis: cpuMillis(cpu), memoryBytes: bytes(memory), pods: 0, devices: {} };
}

export function usage(): string {
  const lines = Object.entries(Environment.shape).map(
    ([name, schema]) => `  ${name.padEnd(34)}${schema.description ?? ''}`,
  );
  return `Usage: node operator/src/main.ts [--help]\n\nTurns Agents into pods. The environment configures it:\n${lines.join('\n')}\n`;
}
