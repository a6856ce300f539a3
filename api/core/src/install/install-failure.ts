import type { PackageManager } from '@hamlet/contract';

/** The reason why a package manager failed, with the fix. */
export interface InstallFailure {
  readonly code:
    | 'no_such_package'
    | 'no_package_manager'
    | 'no_project'
    | 'egress_registry_off'
    | 'egress_refused'
    | 'install_failed';
  readonly advice: string;
}

const NOT_FOUND_EXIT = 127;

const UNKNOWN: Readonly<Record<PackageManager, RegExp>> = {
  apt: /Unable to locate package|has no installation candidate|Version '.*' for '.*' was not found/,
  pip: /No matching distribution found|Could not find a version that satisfies/,
  npm: /\bE404\b|\bETARGET\b|No matching version found/,
  cargo: /could not be found in registry index|no matching package|failed to select a version|could not be found/,
  go: /404 Not Found|no matching versions|unknown revision|invalid version|not found:|does not contain package/,
};
const NO_PROJECT: Readonly<Partial<Record<PackageManager, { readonly form: RegExp; readonly fix: string }>>> = {
  cargo: { form: /could not find `Cargo\.toml`/, fix: 'cargo init' },
  go: { form: /go\.mod file not found|cannot find main module/, fix: 'go mod init NAME' },
};
const PACKAGE_OF: Readonly<Record<PackageManager, string>> = {
  apt: 'apt',
  pip: 'python3-pip',
  npm: 'npm',
  cargo: 'cargo',
  go: 'golang-go',
};
const REFUSED = /\b(egress_[a-z_]{1,40})\b/;

/** Explains the failure of a package manager from its output, which is untrusted and so only selects a message. Pure. */
export function failureOfInstall(
  manager: PackageManager,
  { exit, output }: { readonly exit: number | null; readonly output: string },
): InstallFailure {
  if (exit === NOT_FOUND_EXIT)
    return {
      code: 'no_package_manager',
      advice: `The image of your machine has no ${manager}. Install it first: manager apt, packages ["${PACKAGE_OF[manager]}"].`,
    };
  const refused = REFUSED.exec(output)?.[1];
  if (refused === 'egress_registry_off')
    return { code: refused, advice: 'The registry is switched off. Ask an admin to add it to egress.registries.' };
  if (refused !== undefined)
    return { code: 'egress_refused', advice: `The broker refused (${refused}): do not go around it.` };
  const project = NO_PROJECT[manager];
  if (project?.form.test(output) === true)
    return {
      code: 'no_project',
      advice: `The folder has no project. Make one with ${project.fix}, or name another folder.`,
    };
  if (UNKNOWN[manager].test(output))
    return {
      code: 'no_such_package',
      advice: 'The registry does not have this package, or not in this version. Correct the name or the version.',
    };
  return { code: 'install_failed', advice: 'The package manager failed. Read its output for the cause.' };
}
