import type { SkillFiles } from '@hamlet/contract';
import { SKILL_FILE_MAX_CHARS, SKILL_FILES_MAX, SKILL_FOLDER_MAX_CHARS, SkillPath } from '@hamlet/contract';
import { mapProblem, type ConfigMap, type ConfigMaps, type MapsPage } from '../agents/config-maps.ts';

type SkillMap = { readonly ok: true; readonly files: SkillFiles } | { readonly ok: false; readonly problem: string };

export interface SkillMaps {
  read(name: string): Promise<SkillMap>;
  /** A page of the ConfigMaps with the label of skills. Rejects with status 410 if `from` has expired. */
  list(page: MapsPage): ReturnType<ConfigMaps['labelled']>;
}

const LABEL = 'hamlet.village/skill';

const broken = (problem: string): SkillMap => ({ ok: false, problem });

export function filesOfMap(map: Pick<ConfigMap, 'metadata' | 'data' | 'binaryData'>): SkillMap {
  const { metadata, data = {} } = map;
  const { name } = metadata;
  const problem = mapProblem(map, LABEL);
  if (problem !== null) return broken(problem);
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

export function skillMapsOf(maps: ConfigMaps): SkillMaps {
  return {
    read: async (name) => {
      const found = await maps.read(name);
      return found.ok ? filesOfMap(found.map) : broken(found.problem);
    },
    list: (page) => maps.labelled(LABEL, page),
  };
}
