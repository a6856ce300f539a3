/** Base images for machines that reach no registry: `debian`, and `node` on top of it. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import { CACHE, ROOT } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import { buildah, buildDockerfile, hasImage } from './buildah.ts';
import { hashSources, stageSources, type Source } from './context.ts';
import { NPM_VERSION } from './recipe.ts';

export interface Bases {
  readonly debian: string;
  readonly node: string;
}

/** Builds the missing base images. Returns their names, which contain a hash of their inputs. */
export async function ensureBases(context: StepContext): Promise<Bases> {
  const debian = `localhost/hamlet/debian:${hashSources([debianSource()], [process.arch, ...mirrors()])}`;
  if (!(await hasImage(debian))) await buildDebian(debian, context);
  const node = `localhost/hamlet/node:${hashSources(dockerfileSources(), [debian, nodeVersion(), NPM_VERSION])}`;
  if (!(await hasImage(node))) await buildNode(node, debian, context);
  return { debian, node };
}

/** The archives that local/images/debian/build.sh takes instead of Debian's own, such as those of one day. */
function mirrors(): readonly string[] {
  return ['DEBIAN_MIRROR', 'DEBIAN_SECURITY_MIRROR'].flatMap((name) => process.env[name] ?? []);
}

const debianSource = (): Source => ({ from: join(ROOT, 'local/images/debian'), to: '.' });

const dockerfileSources = (): Source[] => [{ from: join(ROOT, 'local/images/node/Dockerfile'), to: 'Dockerfile' }];

const nodePackage = (): string => join(ROOT, `node_modules/node-linux-${process.arch}`);

function nodeVersion(): string {
  return (JSON.parse(readFileSync(join(nodePackage(), 'package.json'), 'utf8')) as { version: string }).version;
}

async function buildDebian(name: string, context: StepContext): Promise<void> {
  context.doing('Debian base by debootstrap');
  const container = await buildah(['from', '--name', `hamlet-debian-${process.pid}`, 'scratch'], context);
  try {
    const folder = await buildah(['mount', container], context);
    await run('bash', [join(ROOT, 'local/images/debian/build.sh'), folder], {
      ...context,
      fix: 'debootstrap needs a Debian mirror: set DEBIAN_MIRROR to one that this machine can reach',
    });
    await buildah(['config', '--cmd', '/bin/bash', '--env', 'LANG=C.UTF-8', container], context);
    await buildah(['commit', '--quiet', container, name], context);
  } finally {
    await buildah(['rm', container], context);
  }
}

async function buildNode(name: string, debian: string, context: StepContext): Promise<void> {
  context.doing('Node 26 base');
  const npm = join(CACHE, `npm-${NPM_VERSION}`);
  if (!existsSync(join(npm, 'node_modules/npm/package.json'))) {
    await run('npm', ['install', '--prefix', npm, '--no-save', '--install-links', `npm@${NPM_VERSION}`], context);
  }
  const folder = join(CACHE, 'images/context/node');
  const sources = [
    ...dockerfileSources(),
    { from: join(nodePackage(), 'bin/node'), to: 'node' },
    { from: join(npm, 'node_modules/npm'), to: 'npm', whole: true },
  ];
  stageSources(sources, folder);
  try {
    await buildDockerfile(
      { name, context: folder, dockerfile: join(folder, 'Dockerfile'), buildArgs: { DEBIAN_IMAGE: debian } },
      context,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
