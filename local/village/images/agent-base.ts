/**
 * The base of the image of agents: their tools, without a runtime. It rarely changes, so a new runtime rebuilds little.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, ROOT } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import { buildDockerfile, hasImage } from './buildah.ts';
import { hashSources, stageSources, type Source } from './context.ts';
import { packagesOf } from './packages.ts';
import type { ToolSet } from './recipe.ts';

const FOLDER = 'agent-image/base';

/** Builds the base on the Node image if it is missing. Returns its name, which contains a hash of its inputs. */
export async function ensureAgentBase(tools: ToolSet, node: string, context: StepContext): Promise<string> {
  const name = `localhost/hamlet/agent-base-${tools}:${hashSources(sources(), [tools, node])}`;
  if (await hasImage(name)) return name;
  context.doing(`${tools} tools of agents`);
  const folder = join(CACHE, 'images/context/agent-base');
  const packages =
    tools === 'full' ? [await packagesOf(join(ROOT, FOLDER, 'tools'), `${FOLDER}/tools/node_modules`, context)] : [];
  stageSources([...sources(), ...packages], folder);
  try {
    await buildDockerfile(
      {
        name,
        context: folder,
        dockerfile: join(folder, FOLDER, 'Dockerfile'),
        buildArgs: { NODE_IMAGE: node },
        target: tools,
        // Packages of Debian come first: a changed text does not install them again.
        keepsLayers: true,
      },
      context,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return name;
}

function sources(): readonly Source[] {
  return [
    FOLDER,
    'agent-image/docs/ai',
    'agent-image/skills',
    'agent-image/AGENTS.md',
    'agent-image/memory-seed.json',
  ].map((path) => ({
    from: join(ROOT, path),
    to: path,
  }));
}
