import { forgetOldModelRequests, markLostModelRequests } from '@hamlet/store';
import type { Registry } from 'prom-client';
import { repeat } from '../service/repeat.ts';
import { REQUEST_LIFE } from './chat-gateway.ts';
import type { GatewayPorts } from './chat-gateway.ts';
import { createGatewayMetrics } from './gateway-metrics.ts';
import { routesOf } from './model-provider.ts';
import type { ModelProvider } from './model-provider.ts';
import { createScriptedProvider } from './scripted/scripted-provider.ts';

const EVERY_MS = 30_000;

export interface GatewayStart extends Omit<GatewayPorts, 'routes' | 'metrics'> {
  readonly registry: Registry;
  /** Who answers for models; the scripted ones where it is left out. */
  readonly providers?: readonly ModelProvider[];
}

/** Starts the gateway, and what says of its requests that nobody ended that they are lost. */
export function startGateway({
  registry,
  providers = [createScriptedProvider()],
  ...ports
}: GatewayStart): GatewayPorts & { stop(): Promise<void> } {
  const { db, log } = ports;
  async function sweep(): Promise<void> {
    const lost = await markLostModelRequests(db, REQUEST_LIFE);
    if (lost > 0) log('warn', 'requests to models were lost with their replica', { lost });
    await forgetOldModelRequests(db);
  }
  const stop = repeat(EVERY_MS, sweep, (error) =>
    log('warn', 'lost requests to models wait for the database', { error }),
  );
  return { ...ports, routes: routesOf(providers), metrics: createGatewayMetrics(registry), stop };
}
