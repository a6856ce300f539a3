import type { AgentConfig, FoundSkill } from '@hamlet/contract';
import { compareText } from '@hamlet/core/compare-text';
import type { EnvironmentOf } from '../hands/start-process.ts';
import type { Answer } from '../village/village.ts';
import type { WorkVillage } from '../village/work-village.ts';
import { skillOf, unreadable, type Folder, type Found, type WantedSkill } from './skill-folder.ts';

export interface SkillStorePorts {
  /** Folder of the skills of the image, in the resident's own file system. */
  readonly imageFolder: string;
  /** Socket of the hands; without it skills of a repository cannot be read. */
  readonly socket: string | undefined;
  readonly workspace: string;
  readonly environmentOf: EnvironmentOf;
  readonly work: Pick<WorkVillage, 'skillFiles'>;
}

/** The skills of an Agent, from the image, from ConfigMaps and from its repository. */
export interface SkillStore {
  /** Reads the current skills, sorted by name. An unusable skill is marked as broken, and does not affect the others. */
  find(config: Pick<AgentConfig, 'skills' | 'repository'>): Promise<readonly Found[]>;
}

export function createSkillStore(ports: SkillStorePorts): SkillStore {
  return {
    find: async ({ skills, repository }) =>
      Promise.all(
        skills
          .toSorted((one, other) => compareText(one.name, other.name))
          .map(async (wanted) => skillOf(wanted, await folderOf(ports, wanted, repository?.url ?? null))),
      ),
  };
}

async function folderOf(ports: SkillStorePorts, { name, from }: WantedSkill, url: string | null): Promise<Folder> {
  switch (from) {
    case 'image': {
      const { readImageSkill } = await import('./image-skills.ts');
      return readImageSkill(ports.imageFolder, name);
    }
    case 'config_map':
      return folderIn(await ports.work.skillFiles(name));
    case 'repository': {
      const { socket, workspace, environmentOf } = ports;
      if (socket === undefined) return unreadable('the pod has no hands: set spec.hands.enabled to true');
      const { readRepositorySkill } = await import('./repository-skills.ts');
      return readRepositorySkill({ socket, workspace, environmentOf }, url, name);
    }
  }
}

function folderIn(answer: Answer<Extract<Folder, { ok: true }>['files']>): Folder {
  if (answer.kind === 'ok') return { ok: true, files: answer.value };
  if (answer.kind === 'refused') return unreadable(answer.detail);
  return unreadable(
    answer.kind === 'unreachable' ? `the API did not answer: ${answer.why}` : 'a newer cycle has begun',
  );
}

export function foundView(found: Found): FoundSkill {
  if (found.ok) {
    const { name, from, description, sha256, files } = found.skill;
    return { name, from, state: 'ready', description, sha256, files: [...files.keys()].toSorted(), problem: null };
  }
  const { name, from, sha256, paths, problem } = found.broken;
  return { name, from, state: 'broken', description: null, sha256, files: paths.toSorted(), problem };
}
