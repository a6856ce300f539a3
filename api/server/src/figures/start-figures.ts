import { Counter, Histogram } from 'prom-client';
import { FIGURES_EVERY_S } from '@hamlet/contract';
import { databaseNow } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { queuedJob, type Job } from '../service/jobs.ts';
import { createComplaint } from '../service/log.ts';
import type { Services } from '../service/services.ts';
import { repeat } from '../service/single-flight.ts';
import { readExporters } from './sources/dcgm-exporters.ts';
import type { FiguresSettings } from './figures-settings.ts';
import { openFiguresStore, type FiguresStore } from './figures-store.ts';
import { NO_KUBELETS, type Kubelets, type NodeReading } from './sources/kubelets.ts';
import { memoryGuardJob } from './guard/guard-job.ts';
import { readOwnHost } from './sources/own-host.ts';
import { stepFigures, type Readings, type Residents } from './snapshot.ts';

interface Ports extends Pick<Services, 'db' | 'registry' | 'log'> {
  readonly config: {
    readonly redisUrl: string;
    readonly namespace: string;
    readonly figures: Pick<FiguresSettings, 'dcgmUrl' | 'nodeName' | 'guard'>;
  };
  readonly source: Pick<AgentSource, 'list' | 'entitlement'>;
  readonly kubelets: Kubelets;
  /** True if an operator makes the pods of the agents. */
  readonly operated: boolean;
}

const EVERY_MS = FIGURES_EVERY_S * 1_000;

function figuresMetrics({ registry }: Pick<Ports, 'registry'>) {
  return {
    readings: new Counter({
      name: 'hamlet_figures_readings_total',
      help: 'Readings of nodes by this replica, by outcome: read, or the reason of a failure',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    seconds: new Histogram({
      name: 'hamlet_figures_collection_seconds',
      help: 'Time of one collection of the figures of all nodes',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [registry],
    }),
  };
}

function agentsOf(source: Ports['source']): Residents['agentOf'] {
  const agents = new Map(
    source.list().map(({ agentId, status: { nodeName, podName } }) => [`${nodeName}/${podName}`, agentId]),
  );
  return (node, pod) => agents.get(`${node}/${pod}`);
}

type FiguresMetrics = ReturnType<typeof figuresMetrics>;

function collector(ports: Ports, store: FiguresStore, metrics: FiguresMetrics): () => Promise<void> {
  const { config, source, kubelets, log } = ports;
  const { dcgmUrl } = config.figures;
  const complaint = createComplaint(log, 'the exporter of DCGM cannot be read: no figures of its GPUs');
  const readGpus = async (): Promise<Readings['gpus']> => {
    if (dcgmUrl === undefined) return [];
    const gpus = await readExporters(dcgmUrl, complaint.fail);
    if (gpus.length > 0) complaint.succeed();
    return gpus;
  };
  const count = (nodes: readonly NodeReading[]): void => {
    for (const { problem } of nodes) metrics.readings.inc({ outcome: problem?.reason ?? 'read' });
  };
  return async () => {
    const end = metrics.seconds.startTimer();
    const [nodes, gpus, before] = await Promise.all([kubelets.read(), readGpus(), store.read()]);
    count(nodes);
    const hosts = await store.hosts(nodes.map(({ name }) => name));
    const residents = { namespace: config.namespace, agentOf: agentsOf(source) };
    const at = new Date().toISOString();
    await store.write(stepFigures(before, { nodes, gpus, hosts }, { residents, at }));
    end();
  };
}

/** Reports the machine of this replica at the interval of collections. Returns a function that stops it. */
function reportOwnHost({ config, log }: Ports, store: FiguresStore): () => Promise<void> {
  const { nodeName } = config.figures;
  if (nodeName === undefined) return () => Promise.resolve();
  const complaint = createComplaint(log, 'the figures of this machine cannot be stored; the API tries again');
  const report = async (): Promise<void> => {
    const reading = await readOwnHost();
    if (reading !== null) await store.reportHost(nodeName, reading);
    complaint.succeed();
  };
  return repeat(EVERY_MS, report, complaint.fail);
}

/** Collects figures of nodes and agents every 15 s, on one replica; without a cluster there are none. */
export function startFigures(ports: Ports) {
  const { redisUrl, namespace } = ports.config;
  const store = openFiguresStore(redisUrl, { namespace, log: ports.log });
  const stopReports = reportOwnHost(ports, store);
  const metrics = figuresMetrics(ports);
  const job = (): Job => queuedJob({ name: 'figures', everyMs: EVERY_MS, run: collector(ports, store, metrics) });
  const reads = ports.kubelets !== NO_KUBELETS;
  const limits = reads ? ports.config.figures.guard : null;
  const guard = memoryGuardJob({ ...ports, figures: store, limits, now: databaseNow });
  return {
    store,
    // A guard that is off runs too: it ends the shortages of an earlier one.
    jobs: [...(reads ? [job()] : []), ...(ports.operated ? [guard] : [])],
    stop: async () => {
      await stopReports();
      store.close();
    },
  };
}
