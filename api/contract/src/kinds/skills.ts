import * as z from 'zod';
import { guarded } from './guarded.ts';
import { matching, ObjectName } from './text.ts';

export const SKILLS_MAX = 16;
const SKILL_NAME_MAX_CHARS = 64;
const SHA256_CHARS = 64;

/** Names as the public format of skills defines them; a name is also the name of the folder. */
export const SkillName = matching(
  '^[a-z0-9]+(-[a-z0-9]+)*$',
  SKILL_NAME_MAX_CHARS,
  'write the name of a skill: lower case letters and digits in words joined by one -, for example write-a-patch',
);

export const SkillSource = z.enum(['Image', 'ConfigMap', 'Repository']);

const SkillChoice = guarded(
  z.strictObject({
    name: SkillName.describe('Name of the skill: of its folder and in its SKILL.md.'),
    from: SkillSource.optional().describe(
      'Location of its folder. Image (default): /app/skills of the image. ConfigMap: a ConfigMap of the namespace with the label hamlet.village/skill: "true". Repository: .hamlet/skills or .claude/skills of the agent\'s repository.',
    ),
    configMapName: ObjectName.optional().describe('ConfigMap with the files of the skill; one of them is SKILL.md.'),
    sha256: matching('^[0-9a-f]{64}$', SHA256_CHARS, 'write the 64 digits that the panel of the agent shows')
      .optional()
      .describe(
        'The only version that the agent may use. Required for a skill of the repository, because everyone with write access there could change what the agent does.',
      ),
  }),
  [
    {
      holds: (value) => (value.from === 'ConfigMap') === (value.configMapName !== undefined),
      rule: "(has(self.from) && self.from == 'ConfigMap') == has(self.configMapName)",
      message: 'configMapName and from: ConfigMap belong together: write both or neither',
    },
  ],
);

export const Skills = guarded(z.array(SkillChoice).max(SKILLS_MAX), [
  {
    holds: (value) => new Set(value.map(({ name }) => name)).size === value.length,
    rule: 'self.all(skill, self.exists_one(other, other.name == skill.name))',
    message: 'write each skill once',
  },
]);
