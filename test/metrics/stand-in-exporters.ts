/** Metrics of a node, a GPU and a model server in the form of their exporters, for villages that have none of them. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const GIB = 2 ** 30;

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function family(name: string, type: 'counter' | 'gauge' | 'histogram', samples: readonly Sample[]): string {
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${text}"`);
    return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
  });
  return `# TYPE ${type === 'histogram' ? name.replace(/_bucket$/, '') : name} ${type}\n${lines.join('')}`;
}

/** `/metrics` and `/metrics/cadvisor` of a kubelet (1.36) in one text, after `seconds` of work. */
export function kubeletText(namespace: string, seconds: number): string {
  const container = { container: 'resident', image: 'hamlet/agent:1', namespace, pod: 'ada-1' };
  const pod = { namespace, pod: 'ada-1', interface: 'eth0' };
  const claim = { namespace, persistentvolumeclaim: 'ada-home' };
  return [
    family('machine_cpu_cores', 'gauge', [{ labels: {}, value: 20 }]),
    family('machine_memory_bytes', 'gauge', [{ labels: {}, value: 128 * GIB }]),
    family('container_cpu_usage_seconds_total', 'counter', [
      { labels: container, value: 0.4 * seconds },
      { labels: { ...container, container: '', image: '' }, value: 0.5 * seconds },
    ]),
    family('container_memory_working_set_bytes', 'gauge', [{ labels: container, value: 2 * GIB }]),
    family('container_pressure_memory_waiting_seconds_total', 'counter', [
      { labels: container, value: 0.01 * seconds },
    ]),
    family('container_network_receive_bytes_total', 'counter', [{ labels: pod, value: 4_000 * seconds }]),
    family('container_network_transmit_bytes_total', 'counter', [{ labels: pod, value: 1_000 * seconds }]),
    family('kubelet_running_pods', 'gauge', [{ labels: {}, value: 12 }]),
    family('kubelet_volume_stats_used_bytes', 'gauge', [{ labels: claim, value: GIB }]),
    family('kubelet_volume_stats_capacity_bytes', 'gauge', [{ labels: claim, value: 8 * GIB }]),
  ].join('');
}

/** NVIDIA's dcgm-exporter (4.4) on a node with one GPU. A GPU that shares its memory, as DGX Spark's, has no FB_USED. */
export function dcgmText(): string {
  const labels = {
    gpu: '0',
    UUID: 'GPU-6a4c1d2e-0000-0000-0000-000000000000',
    device: 'nvidia0',
    modelName: 'NVIDIA GB10',
    Hostname: 'sparky1',
  };
  const gauge = (name: string, value: number): string => family(name, 'gauge', [{ labels, value }]);
  return [
    gauge('DCGM_FI_DEV_GPU_UTIL', 71),
    gauge('DCGM_FI_DEV_GPU_TEMP', 63),
    gauge('DCGM_FI_DEV_POWER_USAGE', 58.4),
    gauge('DCGM_FI_DEV_FB_USED', 9_216),
  ].join('');
}

/** A vLLM server (0.25) with one engine, after `seconds` of work. */
export function vllmText(seconds: number): string {
  const labels = { engine: '0', model_name: 'org/model' };
  const one = (name: string, type: 'counter' | 'gauge', value: number): string =>
    family(`vllm:${name}`, type, [{ labels, value }]);
  const first = (le: string, share: number) => ({ labels: { ...labels, le }, value: Math.floor(share * seconds) });
  return [
    one('num_requests_running', 'gauge', 3),
    one('num_requests_waiting', 'gauge', 1),
    one('kv_cache_usage_perc', 'gauge', 0.42),
    one('prompt_tokens_total', 'counter', 400 * seconds),
    one('generation_tokens_total', 'counter', 60 * seconds),
    family('vllm:time_to_first_token_seconds_bucket', 'histogram', [
      first('0.25', 6),
      first('0.5', 9),
      first('+Inf', 10),
    ]),
  ].join('');
}

/** Serves the text at every path of a free port. */
export async function serveMetrics(
  text: () => string | Promise<string>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server: Server = createServer((_request, response) => {
    void Promise.resolve(text()).then((body) => {
      response.setHeader('content-type', 'text/plain; version=0.0.4').end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
