import { FIGURES_KEPT, type AgentFigures, type AgentUsage, type NodeUsage } from '@hamlet/contract';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { createComplaint, type Log } from '../service/log.ts';
import { redisTls } from '../service/redis-tls.ts';
import { HostReading } from './sources/host-reading.ts';
import { nodePointOf, nodeUsage, nodeUsageOf } from './node-hour.ts';
import { NO_FIGURES, Snapshot } from './snapshot.ts';

const KEPT_S = 3_600;
/** Longer than the interval of reports, so that only a machine without a replica loses its reading. */
const HOST_KEPT_S = 60;
const ANSWER_LIMIT_MS = 5_000;
const RECONNECT_MAX_MS = 500;

const Rate = z.number().nullable();
/** Time in ms, cores, bytes of memory and disk, bytes a second received and sent, percent of a GPU. */
const Point = z.tuple([z.number(), Rate, z.number(), z.number(), Rate, Rate, Rate]);

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value));

/** An array of about 60 bytes, because an hour of an agent has 240 of them. */
const pointOf = (figures: AgentFigures): string =>
  JSON.stringify([
    Date.parse(figures.at),
    figures.cpu_cores === null ? null : Number(figures.cpu_cores.toFixed(4)),
    figures.memory_bytes,
    figures.disk_bytes,
    rounded(figures.received_per_s),
    rounded(figures.sent_per_s),
    figures.gpu_percent,
  ] satisfies z.infer<typeof Point>);

function usageOf(text: string): AgentUsage {
  const [atMs, cpu, memory, disk, received, sent, gpu] = Point.parse(JSON.parse(text));
  return {
    at: new Date(atMs).toISOString(),
    cpu_cores: cpu,
    memory_bytes: memory,
    disk_bytes: disk,
    received_per_s: received,
    sent_per_s: sent,
    gpu_percent: gpu,
  };
}

/** Figures in Redis: the last ones, and an hour of each agent and node. They are lost with Redis, and return with the next collections. */
export function openFiguresStore(url: string, { namespace, log }: { readonly namespace: string; readonly log: Log }) {
  const redis = new Redis(url, {
    ...redisTls(url),
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: ANSWER_LIMIT_MS,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, RECONNECT_MAX_MS),
  });
  const complaint = createComplaint(log, 'Redis does not answer: no figures of agents and nodes');
  redis.on('error', complaint.fail);
  redis.on('ready', complaint.succeed);
  const prefix = `hamlet:${namespace}:figures:`;
  const lastKey = `${prefix}last`;
  const hostKey = (node: string): string => `${prefix}host:${node}`;
  const agentKey = (agentId: string): string => `${prefix}agent:${agentId}`;
  const nodeKey = (node: string): string => `${prefix}node:${node}`;
  return {
    /** The last figures; none if another version of the API stored them. */
    read: async (): Promise<Snapshot> => {
      const text = await redis.get(lastKey);
      return text === null ? NO_FIGURES : (Snapshot.safeParse(JSON.parse(text)).data ?? NO_FIGURES);
    },
    write: async (snapshot: Snapshot): Promise<void> => {
      const write = redis.multi().set(lastKey, JSON.stringify(snapshot), 'EX', KEPT_S);
      const keep = (key: string, point: string): void =>
        void write.rpush(key, point).ltrim(key, -FIGURES_KEPT, -1).expire(key, KEPT_S);
      for (const figures of snapshot.agents) keep(agentKey(figures.agent_id), pointOf(figures));
      for (const node of snapshot.nodes) {
        const usage = nodeUsage(node);
        if (usage !== null) keep(nodeKey(node.name), nodePointOf(usage));
      }
      await write.exec();
    },
    hour: async (agentId: string): Promise<AgentUsage[]> =>
      (await redis.lrange(agentKey(agentId), 0, -1)).map((text) => usageOf(text)),
    hourOfNode: async (node: string): Promise<NodeUsage[]> =>
      (await redis.lrange(nodeKey(node), 0, -1)).map((text) => nodeUsageOf(text)),
    /** Stores a reading with the time of Redis: the clocks of machines may differ, and the memory guard compares the readings. */
    reportHost: async (node: string, reading: HostReading): Promise<void> => {
      const [seconds = 0, micros = 0] = (await redis.time()).map(Number);
      const at = new Date(seconds * 1_000 + Math.floor(micros / 1_000)).toISOString();
      await redis.set(hostKey(node), JSON.stringify({ ...reading, at }), 'EX', HOST_KEPT_S);
    },
    hosts: async (nodes: readonly string[]): Promise<ReadonlyMap<string, HostReading>> => {
      const texts = nodes.length === 0 ? [] : await redis.mget(nodes.map((node) => hostKey(node)));
      return new Map(
        texts.flatMap((text, at) => {
          // A replica of another version may have stored it.
          const reading = text === null ? undefined : HostReading.safeParse(JSON.parse(text)).data;
          return reading === undefined ? [] : [[nodes[at] ?? '', reading]];
        }),
      );
    },
    close: () => redis.disconnect(),
  };
}

export type FiguresStore = ReturnType<typeof openFiguresStore>;
