import { z } from 'zod';
import type { Registry } from '../values/egress.ts';
import type { VillageTool } from './tool.ts';

export const PACKAGE_MANAGERS = ['apt', 'pip', 'npm', 'cargo', 'go'] as const;
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** The registry switch that each package manager needs. */
export const REGISTRY_OF: Readonly<Record<PackageManager, Registry>> = {
  apt: 'apt',
  pip: 'pip',
  npm: 'npm',
  cargo: 'crates',
  go: 'go',
};

export const INSTALL_PACKAGES_MAX = 20;
export const INSTALL_SECONDS_MAX = 1_800;
const INSTALL_SECONDS = 600;
const PACKAGE_MAX_CHARS = 200;
const FOLDER_MAX_CHARS = 1_024;

/** Suffixes by which pip and npm mistake a name for an archive in the current folder. */
const ARCHIVE = /\.(?:whl|egg|zip|tar|tgz|tbz|txz|tlz|gz|bz2|xz|lz|lzma)(?:$|[[=<>!~@])/i;

const VERSION = '[0-9A-Za-z](?:[0-9A-Za-z.+!*_-]{0,62}[0-9A-Za-z*])?';

/**
 * The valid package names of each manager, with a version where it supports one. None can be an option, an address, a
 * path, a pattern, or a removal (apt's `name-`).
 */
const NAMES: Readonly<Record<PackageManager, { readonly form: RegExp; readonly example: string }>> = {
  apt: {
    form: /^[a-z0-9](?:[a-z0-9+.-]{0,100}[a-z0-9+])(?::(?:any|native|amd64|arm64|armhf|i386|ppc64el|riscv64|s390x))?(?:=[0-9](?:[0-9A-Za-z.+:~-]{0,80}[0-9A-Za-z])?)?$/,
    example: 'jq or jq=1.7.1-3',
  },
  pip: {
    form: new RegExp(
      `^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?(?:\\[[A-Za-z0-9_-]{1,40}(?:,[A-Za-z0-9_-]{1,40}){0,7}\\])?(?:(?:==|>=|<=|~=|!=|<|>)${VERSION}(?:,(?:==|>=|<=|~=|!=|<|>)${VERSION}){0,2})?$`,
    ),
    example: 'requests, requests[socks] or requests>=2.31,<3',
  },
  npm: {
    form: new RegExp(
      `^(?:@[a-z0-9][a-z0-9._-]{0,98}/)?[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9_-])?(?:@[\\^~]?${VERSION})?$`,
    ),
    example: 'left-pad, @types/node or left-pad@^1.3.0',
  },
  cargo: {
    form: /^[A-Za-z][A-Za-z0-9_-]{0,63}(?:@[0-9](?:[0-9A-Za-z.+-]{0,40}[0-9A-Za-z])?)?$/,
    example: 'serde or serde@1.0.219',
  },
  go: {
    form: /^[a-z0-9](?:[a-z0-9.-]{0,60}[a-z0-9])?\.[a-z]{2,16}(?:\/[A-Za-z0-9_](?:[A-Za-z0-9._~-]{0,80}[A-Za-z0-9_~-])?){1,10}(?:@(?:latest|v[0-9](?:[0-9A-Za-z.+-]{0,60}[0-9A-Za-z])?))?$/,
    example: 'golang.org/x/text or golang.org/x/text@v0.21.0',
  },
};

/** True if the manager can only read the text as a package name, with or without a version. Pure. */
export function isPackageName(manager: PackageManager, text: string): boolean {
  if (text.length > PACKAGE_MAX_CHARS || text.includes('..') || !NAMES[manager].form.test(text)) return false;
  return manager === 'go' ? !/\.go(?:$|@)/.test(text) : manager === 'apt' || !ARCHIVE.test(text);
}

const InstallPackage = z
  .strictObject({
    manager: z
      .enum(PACKAGE_MANAGERS)
      .describe(
        'apt: programs of the machine. pip: Python, into .venv of the folder or else your home. npm, cargo, go: into the project of the folder',
      ),
    packages: z
      .array(z.string().min(1).max(PACKAGE_MAX_CHARS))
      .min(1)
      .max(INSTALL_PACKAGES_MAX)
      .describe('Names, each with a version if you need one: jq, requests>=2.31, left-pad@1.3.0'),
    folder: z
      .string()
      .min(1)
      .max(FOLDER_MAX_CHARS)
      .refine((text) => !text.includes('\0'), 'write the path without NUL characters')
      .optional()
      .describe('Folder of the project in /workspace; without it, that of your repository'),
    timeout_s: z.int().min(10).max(INSTALL_SECONDS_MAX).default(INSTALL_SECONDS),
  })
  .superRefine(({ manager, packages }, context) => {
    for (const [at, name] of packages.entries())
      if (!isPackageName(manager, name))
        context.addIssue({
          code: 'custom',
          path: ['packages', at],
          message: `write a name of ${manager} and nothing else, for example ${NAMES[manager].example}`,
        });
  });
export type InstallInput = z.infer<typeof InstallPackage>;

export const INSTALL_TOOL = {
  install_package: {
    class: 'install',
    effect: 'idempotent',
    runs: 'hands',
    input: InstallPackage,
    description:
      'Install packages with apt, pip, npm, cargo or go, by name. The result has the versions that are there afterwards. A registry that the village has not switched on is refused, with the switch to ask an admin for.',
  },
} as const satisfies Readonly<Record<string, VillageTool>>;
