import { forgetOldModelRequests, markLostModelRequests } from '@hamlet/store';
import type { Registry } from 'prom-client';
import { job } from '../service/jobs.ts';
import type { Job } from '../service/jobs.ts';
import { REQUEST_LIFE } from './admit-chat.ts';
import type { GatewayPorts } from './admit-chat.ts';
import { createGatewayMetrics } from './gateway-metrics.ts';
import { startStreamBrakes } from './stream-brakes.ts';
import type { BrakePorts } from './stream-brakes.ts';
import { openCatalog } from './village-models.ts';
import type { VillageModels } from './village-models.ts';

const EVERY_MS = 30_000;

export interface GatewayStart extends Omit<GatewayPorts, 'catalog' | 'metrics' | 'brakes'>, BrakePorts {
  readonly registry: Registry;
  readonly models: VillageModels;
}

/** Opens the gateway. Its job marks a request as lost if the request's replica ended first. */
export function openGateway({
  registry,
  models,
  freeze,
  standing,
  ...ports
}: GatewayStart): GatewayPorts & { readonly jobs: readonly Job[] } {
  const { db, log } = ports;
  async function sweep(): Promise<void> {
    const lost = await markLostModelRequests(db, REQUEST_LIFE);
    if (lost > 0) log('warn', 'model requests were lost with their replica', { lost });
    await forgetOldModelRequests(db);
  }
  const jobs = [job({ name: 'lost-model-requests', everyMs: EVERY_MS, run: sweep })];
  return {
    ...ports,
    catalog: openCatalog(models),
    brakes: startStreamBrakes({ freeze, standing }),
    metrics: createGatewayMetrics(registry),
    jobs,
  };
}
