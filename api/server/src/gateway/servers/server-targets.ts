import { MODEL_SERVERS_MAX } from '@hamlet/contract';
import type { ModelsConfig } from '@hamlet/models';
import type { Connection } from '../connections/connection.ts';
import type { ServerTarget } from './server-readings.ts';

type Settings = ModelsConfig['providers'][string];

/** vLLM serves its metrics beside `/v1`. */
function metricsUrl(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/metrics`;
}

function urlsOf(settings: Settings): readonly string[] {
  if (settings.kind !== 'vllm' && settings.kind !== 'compatible') return [];
  return settings.metricsUrls ?? (settings.kind === 'vllm' ? [metricsUrl(settings.baseUrl)] : []);
}

/** The servers whose metrics the API reads: those of the configuration, then the vLLM servers that admins connected for the village. Pure. */
export function serverTargets(
  { providers }: Pick<ModelsConfig, 'providers'>,
  connections: readonly Pick<Connection, 'name' | 'provider'>[],
): { readonly configured: readonly ServerTarget[]; readonly connected: readonly ServerTarget[] } {
  const configured = Object.entries(providers).flatMap(([provider, settings]) =>
    urlsOf(settings).map((url) => ({ provider, url })),
  );
  const connected = connections
    .filter(({ name, provider: { kind } }) => kind === 'vllm' && !Object.hasOwn(providers, name))
    .map(({ name, provider }) => ({ provider: name, url: metricsUrl(provider.base_url) }));
  const first = configured.slice(0, MODEL_SERVERS_MAX);
  return { configured: first, connected: connected.slice(0, MODEL_SERVERS_MAX - first.length) };
}
