import type { NodeFigures } from '@hamlet/contract';
import { bytes, cpuMillis } from '@hamlet/core/seats';
import { KubeClient, NODES, SERVICE_ACCOUNTS, type Connection, type KubeObject, type TokenSource } from '@hamlet/kube';
import { boundedGet, type Got } from './bounded-get.ts';
import { readSummary, type SummaryReading } from './kubelet-summary.ts';
import { problemOf, PROBLEMS } from './node-problems.ts';

export interface NodeReading {
  readonly name: string;
  readonly ready: boolean;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly summary: SummaryReading | null;
  /** Set if `summary` is null. */
  readonly problem: NodeFigures['problem'];
}

export interface Kubelets {
  /** Reads every node, at most 64; a node that cannot be read has a problem. Throws if the API server does not list them. */
  read(): Promise<readonly NodeReading[]>;
  /** The resources that each ready node has for pods, at most 64 nodes; null if the API may not see nodes. */
  allocatable(): Promise<readonly NodeResources[] | null>;
  close(): Promise<void>;
}

export interface NodeResources {
  readonly name: string;
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Without a cluster there are no nodes. */
export const NO_KUBELETS: Kubelets = {
  read: () => Promise.resolve([]),
  allocatable: () => Promise.resolve(null),
  close: () => Promise.resolve(),
};

interface RawNode extends KubeObject {
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly capacity?: Readonly<Record<string, string>>;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port?: number } };
  };
}

interface Ports {
  readonly client: KubeClient;
  readonly connection: Connection;
  readonly namespace: string;
  /** Issuers of the kubelets' certificates (PEM); by default the CA of the cluster. */
  readonly ca: string | undefined;
  readonly nowMs: () => number;
}

const ACCOUNT = 'hamlet-figures';
const NODES_MAX = 64;
/** A summary of 110 pods has about 0.4 MB. */
const SUMMARY_MAX_BYTES = 8 << 20;
const ANSWER_LIMIT_MS = 5_000;
const KUBELET_PORT = 10_250;
/** The shortest life that the API server gives a token. */
const TOKEN_LIFE_S = 600;
const TOKEN_USE_MS = 300_000;

/**
 * Tokens of the account that may only list nodes and read their statistics: every kubelet receives one, so the API sends none of its own.
 */
function figuresToken({ client, namespace, nowMs }: Pick<Ports, 'client' | 'namespace' | 'nowMs'>): TokenSource {
  let token: string | undefined;
  let takenAtMs = 0;
  return {
    read: async () => {
      if (token === undefined || nowMs() - takenAtMs > TOKEN_USE_MS) {
        const request = {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata: { name: ACCOUNT },
          spec: { expirationSeconds: TOKEN_LIFE_S },
        };
        const at = { namespace, name: ACCOUNT, subresource: 'token' };
        const { status } = await client.create<{ status: { token: string } }>(SERVICE_ACCOUNTS, request, at);
        token = status.token;
        takenAtMs = nowMs();
      }
      return token;
    },
    forget: () => {
      token = undefined;
    },
  };
}

const isReady = ({ status }: RawNode): boolean =>
  status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;

function describedNode(node: RawNode): Omit<NodeReading, 'summary' | 'problem'> {
  const capacity = node.status?.capacity ?? {};
  return {
    name: node.metadata.name,
    ready: isReady(node),
    cores: cpuMillis(capacity['cpu']) / 1_000,
    memoryBytes: bytes(capacity['memory']),
  };
}

interface Endpoint {
  readonly name: string;
  readonly address: string;
  readonly port: number;
}

function endpointOf({ metadata: { name }, status = {} }: RawNode): Endpoint | null {
  const address = status.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  const port = status.daemonEndpoints?.kubeletEndpoint?.Port ?? KUBELET_PORT;
  return address === undefined ? null : { name, address, port };
}

/** Connects to the address, but the certificate must have the name of the node, which no other node can claim. */
const getSummary = ({ name, address, port }: Endpoint, { bearer, ca }: Trust): Promise<Got> =>
  boundedGet({
    url: new URL(`https://${name}:${port}/stats/summary`),
    address,
    tls: { servername: name, ca },
    headers: { authorization: `Bearer ${bearer}` },
    maxBytes: SUMMARY_MAX_BYTES,
    timeoutMs: ANSWER_LIMIT_MS,
  });

interface Trust {
  readonly bearer: string;
  readonly ca: string | undefined;
}

type Read = Pick<NodeReading, 'summary' | 'problem'>;

async function readKubelet(node: RawNode, trust: Trust): Promise<Read> {
  const endpoint = endpointOf(node);
  if (endpoint === null) return { summary: null, problem: PROBLEMS.unreachable };
  try {
    const { status, text } = await getSummary(endpoint, trust);
    const summary = status === 200 ? readSummary(text) : null;
    return { summary, problem: summary === null ? problemOf(status) : null };
  } catch (error) {
    return { summary: null, problem: problemOf(error) };
  }
}

export function openKubelets(ports: Ports): Kubelets {
  const { cert: _cert, key: _key, ...tls } = ports.connection.tls;
  const token = figuresToken(ports);
  const reader = new KubeClient({ ...ports.connection, tls, token });
  const ca = ports.ca ?? tls.ca;
  const nodes = () => reader.list<RawNode>(NODES, { query: { limit: NODES_MAX } });
  return {
    allocatable: async () =>
      (await nodes()).items
        .filter(isReady)
        .map(({ metadata: { name }, status }) => ({ name, allocatable: status?.allocatable ?? {} })),
    read: async () => {
      const { items } = await nodes();
      const trust = { bearer: await token.read(), ca };
      const read = await Promise.all(
        items.map(async (node) => ({ ...describedNode(node), ...(await readKubelet(node, trust)) })),
      );
      if (read.some(({ problem }) => problem?.reason === 'forbidden')) token.forget();
      return read;
    },
    close: () => reader.close(),
  };
}
