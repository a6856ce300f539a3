import type { PriceList, PurchaseItem } from '@hamlet/contract';
import { backedLanes, laneOf, type FreeDevices } from '@hamlet/core';
import { PODS, type KubeClient, type KubeObject } from '@hamlet/kube';
import type { Kubelets } from '../../figures/sources/kubelets.ts';
import { refused, type Refused } from '../../http/outcome.ts';
import type { Log } from '../../service/log.ts';
import { describeItem } from './purchase-view.ts';

/** Devices of the nodes that model servers leave to sell. */
export interface GpuSupply {
  /** By node; null while the API cannot see the nodes: then the price list alone decides. */
  free(): Promise<readonly FreeDevices[] | null>;
}

/** A village without a cluster, or without figures, sees no nodes. */
export const UNSEEN_GPUS: GpuSupply = { free: () => Promise.resolve(null) };

interface RawPod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly resources?: { readonly limits?: Readonly<Record<string, string>> } }[];
  };
}

interface Ports {
  readonly kubelets: Pick<Kubelets, 'allocatable'>;
  readonly client: Pick<KubeClient, 'list'>;
  readonly namespace: string;
  readonly nowMs: () => number;
  readonly log: Log;
}

/** The chart puts this label on the pods of model servers. */
const MODEL_SERVERS = 'hamlet.village/role=model-server';
const SERVERS_MAX = 64;
/** Nodes and model servers change rarely; a quote must not cost two requests to the API server. */
const KNOWN_MS = 15_000;

/** Whole devices; other resources, such as memory, have units. */
const counted = (amounts: Readonly<Record<string, string>> = {}): FreeDevices =>
  Object.fromEntries(Object.entries(amounts).flatMap(([name, n]) => (/^\d+$/.test(n) ? [[name, Number(n)]] : [])));

/** Pure. */
function leftOf(allocatable: FreeDevices, pods: readonly RawPod[]): FreeDevices {
  const containers = pods.flatMap(({ spec }) => spec?.containers ?? []);
  const used = containers.map(({ resources }) => counted(resources?.limits));
  return Object.fromEntries(
    Object.entries(allocatable).map(([name, n]) => [name, used.reduce((left, by) => left - (by[name] ?? 0), n)]),
  );
}

async function readFree({ kubelets, client, namespace }: Ports): Promise<readonly FreeDevices[] | null> {
  const nodes = await kubelets.allocatable();
  if (nodes === null) return null;
  const query = { labelSelector: MODEL_SERVERS, limit: SERVERS_MAX };
  const { items } = await client.list<RawPod>(PODS, { namespace, query });
  return nodes.map(({ name, allocatable }) =>
    leftOf(
      counted(allocatable),
      items.filter(({ spec }) => spec?.nodeName === name),
    ),
  );
}

/** Reads nodes and pods at most every 15 s. After a failure, the last answer stays. */
export function openGpuSupply(ports: Ports): GpuSupply {
  let known: readonly FreeDevices[] | null = null;
  let reading: Promise<void> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  async function read(): Promise<void> {
    try {
      known = await readFree(ports);
    } catch (error) {
      ports.log('warn', 'the api could not read which GPUs are free: the last answer stays', { error });
    }
  }
  return {
    free: async () => {
      const isOld = ports.nowMs() - readAtMs >= KNOWN_MS;
      if (isOld) {
        readAtMs = ports.nowMs();
        reading = read();
      }
      // Without an earlier answer, a second buyer waits for the first one too: the price list alone would sell a GPU that is in use.
      if (isOld || known === null) await reading;
      return known;
    },
  };
}

export interface ForSale {
  readonly prices: PriceList;
  readonly gpus: GpuSupply;
}

/** The price list with only those lanes whose devices the nodes have free for sale. */
export async function pricesNow({ prices, gpus }: ForSale): Promise<PriceList> {
  const free = prices.gpu.lanes.length === 0 ? null : await gpus.free();
  return free === null ? prices : { ...prices, gpu: { ...prices.gpu, lanes: backedLanes(prices.gpu.lanes, free) } };
}

/** Why a lane of the price list is not for sale now; null if it is. */
export async function whyUnbacked(lane: PriceList['gpu']['lanes'][number], of: ForSale): Promise<string | null> {
  return laneOf(await pricesNow(of), lane.lane) === null ? noDevice(lane) : null;
}

/** @param listed the whole price list, with lanes that no node backs */
export function notForSale(item: PurchaseItem, seconds: number, listed: PriceList): Refused {
  const lane = item.kind === 'gpu' ? laneOf(listed, item.lane) : null;
  return refused(
    'not_for_sale',
    lane === null
      ? `${describeItem(item, seconds)} is not on the price list: see price_list of GET /economy/quote`
      : noDevice(lane),
  );
}

const noDevice = ({ lane, count, resource_name: resource }: PriceList['gpu']['lanes'][number]): string =>
  `${lane} needs ${count} ${resource} of one node, and model servers and other lanes leave fewer: an admin frees a GPU, or takes the lane off the price list`;
