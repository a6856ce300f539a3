import {
  type OfferedSkill,
  SKILL_DESCRIPTION_MAX_CHARS,
  SKILL_FILE,
  SkillFront,
  SkillId,
  splitSkill,
} from '@hamlet/contract';
import { isStatus } from '@hamlet/kube';
import { z } from 'zod';
import type { ConfigMap } from '../agents/config-maps.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { refused } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import type { Village } from '../village.ts';
import { filesOfMap } from './skill-maps.ts';

/** The skills of the village's image with their descriptions: the API does not have the image's files. */
export const IMAGE_SKILLS = {
  'fix-a-failing-test':
    'Find out why a test fails, correct the cause and prove it. Use it when a person reports a failing test, a broken build or a red pipeline.',
  'research-with-sources':
    'Answer a question from sources that you have opened yourself, with each claim and its source. Use it for questions about facts, comparisons and recommendations.',
  'write-a-patch':
    'Turn a change of a repository into a patch that a person can review and apply. Use it when the result of your work is a change of code or of documents.',
} as const;

const OF_IMAGE: readonly OfferedSkill[] = Object.entries(IMAGE_SKILLS).map(([name, description]) => ({
  name,
  from: 'image',
  config_map_name: null,
  description,
  problem: null,
}));

const Front = SkillFront.extend({ name: SkillId });

/** The skill in a ConfigMap as the form of agents offers it; with the problem if agents cannot use it. */
export async function offeredSkill(map: ConfigMap): Promise<OfferedSkill> {
  const name = map.metadata.name;
  const of = { from: 'config_map', config_map_name: name } as const;
  const broken = (problem: string): OfferedSkill => ({ ...of, name, description: null, problem });
  const read = filesOfMap(map);
  if (!read.ok) return broken(read.problem);
  const text = read.files.find(({ path }) => path === SKILL_FILE)?.text;
  if (text === undefined) return broken(`ConfigMap ${name} has no ${SKILL_FILE}: add one`);
  const front = Front.safeParse(await yamlOf(splitSkill(text)?.front ?? ''));
  if (!front.success)
    return broken(
      `${SKILL_FILE}: write name and a description of at most ${SKILL_DESCRIPTION_MAX_CHARS} characters, as YAML, between two lines ---`,
    );
  return { ...of, name: front.data.name, description: front.data.description.replaceAll(/\s+/g, ' '), problem: null };
}

/** The value of the front matter; undefined if it is not YAML. The parser is loaded only for a village with ConfigMaps of skills. */
async function yamlOf(text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(text, { schema: 'core', maxAliasCount: 0, logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

const pages = pageCursor(z.string());

export function offeredSkillHandlers({ skillMaps }: Pick<Village, 'skillMaps'>) {
  return {
    listOfferedSkills: plain(async ({ query }) => {
      try {
        return await paged(pages, { ...query, list: 'skills' }, async ({ before, limit }) => {
          const { maps, next } = await skillMaps.list({ from: before, limit });
          const ofMaps = await Promise.all(maps.map(offeredSkill));
          return { skills: [...(before === null ? OF_IMAGE : []), ...ofMaps], next };
        });
      } catch (error) {
        // Kubernetes forgets the mark of a page after some minutes, and refuses one that it has not given.
        if (isStatus(error, 410) || isStatus(error, 400)) return refused('cursor_invalid');
        throw error;
      }
    }),
  } satisfies Partial<Handlers>;
}
