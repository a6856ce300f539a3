import { CONFIG_MAPS, type KubeClient, type KubeObject } from '@hamlet/kube';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverRefusal } from './server-refusal.ts';

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** A ConfigMap, or the reason why the API has none, with the fix. `missing`: no ConfigMap has this name. */
export type FoundMap =
  | { readonly ok: true; readonly map: ConfigMap }
  | { readonly ok: false; readonly missing: boolean; readonly problem: string };

/** ConfigMaps of the village's namespace. */
export interface ConfigMaps {
  /** Throws UnavailableError if the cluster is unreachable. */
  read(name: string): Promise<FoundMap>;
  /** A page of those with the value `true` of a label. Rejects with status 410 if `from` has expired. */
  labelled(
    label: string,
    page: MapsPage,
  ): Promise<{ readonly maps: readonly ConfigMap[]; readonly next: string | null }>;
}

export interface MapsPage {
  /** The mark that the previous page gave as `next`; null for the first page. */
  readonly from: string | null;
  readonly limit: number;
}

const missing = (name: string): FoundMap => ({
  ok: false,
  missing: true,
  problem: `There is no ConfigMap ${name} in the namespace of the village: create it`,
});

/** Why a ConfigMap is not one that agents may use, and the fix; null if it has the label and no binary files. Pure. */
export function mapProblem(
  { metadata: { name, labels }, binaryData = {} }: Pick<ConfigMap, 'metadata' | 'binaryData'>,
  label: string,
): string | null {
  if (labels?.[label] !== 'true')
    return `ConfigMap ${name} lacks the label ${label}: kubectl label configmap ${name} ${label}=true`;
  return Object.keys(binaryData).length > 0
    ? `ConfigMap ${name} has binary files, but agents read only text: remove them`
    : null;
}

export function kubernetesConfigMaps({
  client,
  namespace,
}: {
  readonly client: Pick<KubeClient, 'get' | 'list'>;
  readonly namespace: string;
}): ConfigMaps {
  return {
    read: async (name) => {
      try {
        return { ok: true, map: await client.get<ConfigMap>(CONFIG_MAPS, { namespace, name }) };
      } catch (error) {
        const { status } = serverRefusal(error);
        if (status === 404) return missing(name);
        if (status !== 403) throw error;
        const problem = 'The API may not read ConfigMaps: upgrade the chart, which gives it the right';
        return { ok: false, missing: false, problem };
      }
    },
    labelled: async (label, { from, limit }) => {
      const query = { labelSelector: `${label}=true`, limit, continue: from ?? undefined };
      const { metadata, items } = await client.list<ConfigMap>(CONFIG_MAPS, { namespace, query });
      return { maps: items, next: metadata.continue || null };
    },
  };
}

/** ConfigMaps from a folder of sample files, each read again at each use. @param prefix of the files' names: `PREFIX-NAME.yaml` */
export function sampleConfigMaps(folder: string, prefix: string): ConfigMaps {
  const read = async (name: string): Promise<FoundMap> => {
    // Loaded lazily, because an API on Kubernetes reads no files.
    const { parse } = await import('yaml');
    try {
      return { ok: true, map: parse(await readFile(join(folder, `${prefix}-${name}.yaml`), 'utf8')) as ConfigMap };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return missing(name);
      throw error;
    }
  };
  return {
    read,
    labelled: async (label, { from, limit }) => {
      const files = (await readdir(folder)).filter((file) => file.startsWith(`${prefix}-`) && file.endsWith('.yaml'));
      const names = files.map((file) => file.slice(prefix.length + 1, -'.yaml'.length)).toSorted();
      const page = names.filter((name) => from === null || name > from).slice(0, limit);
      const found = await Promise.all(page.map(read));
      const maps = found.flatMap((each) => (each.ok && each.map.metadata.labels?.[label] === 'true' ? [each.map] : []));
      return { maps, next: page.length < limit ? null : (page.at(-1) ?? null) };
    },
  };
}
