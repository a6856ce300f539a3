import type { SkillFiles } from '@hamlet/contract';
import { SKILL_FILE_MAX_CHARS, SKILL_FILES_MAX, SKILL_FOLDER_MAX_CHARS, SkillPath } from '@hamlet/contract';
import { CONFIG_MAPS, isStatus, type KubeClient, type KubeObject } from '@hamlet/kube';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type SkillMap = { readonly ok: true; readonly files: SkillFiles } | { readonly ok: false; readonly problem: string };

export interface SkillMaps {
  read(name: string): Promise<SkillMap>;
}

const LABEL = 'hamlet.village/skill';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

const broken = (problem: string): SkillMap => ({ ok: false, problem });

export function filesOfMap({
  metadata,
  data = {},
  binaryData = {},
}: Pick<ConfigMap, 'metadata' | 'data' | 'binaryData'>): SkillMap {
  const { name } = metadata;
  if (metadata.labels?.[LABEL] !== 'true')
    return broken(`ConfigMap ${name} is not labelled as a skill: kubectl label configmap ${name} ${LABEL}=true`);
  if (Object.keys(binaryData).length > 0)
    return broken(`ConfigMap ${name} has binary files, but a skill may have only text: remove them`);
  const paths = Object.keys(data).toSorted();
  if (paths.length > SKILL_FILES_MAX)
    return broken(`ConfigMap ${name} has more than ${SKILL_FILES_MAX} files: remove some`);
  const bad = paths.find((path) => !SkillPath.safeParse(path).success);
  if (bad !== undefined) return broken(`ConfigMap ${name}: rename ${bad.slice(0, 60)}, whose name begins with a dot`);
  const long = paths.find((path) => (data[path] ?? '').length > SKILL_FILE_MAX_CHARS);
  if (long !== undefined)
    return broken(`ConfigMap ${name}: shorten ${long.slice(0, 60)} to ${SKILL_FILE_MAX_CHARS} characters`);
  const files = paths.map((path) => ({ path, text: data[path] ?? '' }));
  const total = files.reduce((sum, { text }) => sum + text.length, 0);
  if (total > SKILL_FOLDER_MAX_CHARS)
    return broken(`ConfigMap ${name} is too large: shorten it to ${SKILL_FOLDER_MAX_CHARS} characters`);
  return { ok: true, files };
}

const missing = (name: string): SkillMap =>
  broken(`There is no ConfigMap ${name} in the namespace of the village: create it`);

export function kubernetesSkillMaps(ports: {
  readonly client: Pick<KubeClient, 'get'>;
  readonly namespace: string;
}): SkillMaps {
  return {
    read: async (name) => {
      try {
        return filesOfMap(await ports.client.get<ConfigMap>(CONFIG_MAPS, { namespace: ports.namespace, name }));
      } catch (error) {
        if (isStatus(error, 404)) return missing(name);
        if (isStatus(error, 403))
          return broken('The API may not read ConfigMaps: upgrade the chart, which gives it the right');
        throw error;
      }
    },
  };
}

export function sampleSkillMaps(folder: string): SkillMaps {
  return {
    read: async (name) => {
      // Loaded lazily, because an API on Kubernetes reads no files.
      const { parse } = await import('yaml');
      try {
        const map = parse(await readFile(join(folder, `skill-${name}.yaml`), 'utf8')) as ConfigMap;
        return filesOfMap(map);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return missing(name);
        throw error;
      }
    },
  };
}
