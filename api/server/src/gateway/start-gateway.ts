import { forgetOldModelRequests, markLostModelRequests } from '@hamlet/store';
import type { Registry } from 'prom-client';
import { job } from '../service/jobs.ts';
import type { Job } from '../service/jobs.ts';
import { REQUEST_LIFE } from './chat-gateway.ts';
import type { GatewayPorts } from './chat-gateway.ts';
import { createGatewayMetrics } from './gateway-metrics.ts';
import { routesOf } from './model-provider.ts';
import type { ModelProvider } from './model-provider.ts';
import { createScriptedProvider } from './scripted-provider.ts';

const EVERY_MS = 30_000;

export interface GatewayStart extends Omit<GatewayPorts, 'routes' | 'metrics'> {
  readonly registry: Registry;
  /** Providers of models; by default only the scripted one. */
  readonly providers?: readonly ModelProvider[];
}

/** Opens the gateway. Its job marks a request as lost if the request's replica ended first. */
export function openGateway({
  registry,
  providers = [createScriptedProvider()],
  ...ports
}: GatewayStart): GatewayPorts & { readonly jobs: readonly Job[] } {
  const { db, log } = ports;
  async function sweep(): Promise<void> {
    const lost = await markLostModelRequests(db, REQUEST_LIFE);
    if (lost > 0) log('warn', 'model requests were lost with their replica', { lost });
    await forgetOldModelRequests(db);
  }
  const jobs = [job({ name: 'lost-model-requests', everyMs: EVERY_MS, run: sweep })];
  return { ...ports, routes: routesOf(providers), metrics: createGatewayMetrics(registry), jobs };
}
