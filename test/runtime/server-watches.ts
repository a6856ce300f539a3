import type { KubeClient } from '@hamlet/kube';

/** Watches that the API server itself counts as open, by kind; no client can hide them. */
export async function serverWatches(client: KubeClient): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const line of (await client.read('/metrics')).split('\n')) {
    if (!line.startsWith('apiserver_longrunning_requests{') || !line.includes('verb="WATCH"')) continue;
    const resource = /resource="([^"]*)"/.exec(line)?.[1] ?? '';
    counts[resource] = (counts[resource] ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1));
  }
  return counts;
}
