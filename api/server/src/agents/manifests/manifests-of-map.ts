import { MANIFEST_FILES, ManifestFiles, type AgentManifests } from '@hamlet/contract';
import type { z } from 'zod';
import { mapProblem, type ConfigMap } from '../config-maps.ts';

export const MANIFESTS_LABEL = 'hamlet.village/manifests';
/** Without this file a workflow has no stages. */
const REQUIRED = 'workflow.yaml';
const SHOWN_CHARS = 60;

const isManifest = (key: string): boolean => (MANIFEST_FILES as readonly string[]).includes(key);

/** Why a ConfigMap holds more than manifests, and the fix; null if the API may write it. Pure. */
export function foreignProblem(map: ConfigMap): string | null {
  const problem = mapProblem(map, MANIFESTS_LABEL);
  if (problem !== null) return problem;
  const other = Object.keys(map.data ?? {}).find((key) => !isManifest(key));
  return other === undefined
    ? null
    : `ConfigMap ${map.metadata.name} has the key ${other.slice(0, SHOWN_CHARS)}, but manifests are ${MANIFEST_FILES.join(', ')}: rename or remove it`;
}

/** The manifests in a ConfigMap, in the order of {@link MANIFEST_FILES}. With a problem they may be incomplete. Pure. */
export function manifestsOfMap(map: ConfigMap): AgentManifests {
  const { name, resourceVersion } = map.metadata;
  const of = (files: ManifestFiles, problem: string | null): AgentManifests => ({
    config_map_name: name,
    version: resourceVersion ?? null,
    files,
    problem,
  });
  const foreign = foreignProblem(map);
  const files = MANIFEST_FILES.flatMap((path) => {
    const text = map.data?.[path];
    return text === undefined ? [] : [{ path, text }];
  });
  const read = ManifestFiles.safeParse(files);
  if (!read.success) return of([], foreign ?? `ConfigMap ${name}${faultOf(files, read.error)}`);
  const lacks = !files.some(({ path }) => path === REQUIRED);
  return of(read.data, foreign ?? (lacks ? `ConfigMap ${name} has no ${REQUIRED}: add it` : null));
}

function faultOf(files: ManifestFiles, { issues: [issue] }: z.ZodError): string {
  const index = issue?.path[0];
  const file = typeof index === 'number' ? `, ${files[index]?.path}` : '';
  return `${file}: ${issue?.message ?? 'shorten its files'}`;
}
