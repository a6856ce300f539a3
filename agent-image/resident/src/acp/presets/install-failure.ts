import { failureOfInstall } from '@hamlet/core/install';
import type { ProgramEnd } from '@hamlet/engine';

/** Why a program could not be installed, in words for people, with the fix. */
export interface ProgramFailure {
  readonly code:
    | 'program_disk_full'
    | 'program_registry_off'
    | 'program_refused'
    | 'program_changed'
    | 'program_offline'
    | 'program_no_npm'
    | 'program_out_of_memory'
    | 'program_timed_out'
    | 'program_not_installed';
  readonly message: string;
}

export interface FailedInstall {
  /** The program in words, for example `OpenCode 1.18.33 (354 MB, MIT)`. */
  readonly program: string;
  readonly cause: ProgramEnd['cause'];
  readonly exit: number | null;
  /** The output of npm. It is untrusted, and so only selects a message. */
  readonly output: string;
}

const MAX_CAUSE_CHARS = 400;
const IN_IMAGE = 'or name an image in spec.hands.image that has the program';

const FORMS: readonly (readonly [form: RegExp, code: ProgramFailure['code'], fix: string])[] = [
  [
    /ENOSPC|EDQUOT|No space left|Disk quota exceeded/i,
    'program_disk_full',
    "The agent's volume is full: remove files in its home or workspace. Its size was set when the agent was made (spec.memory.size).",
  ],
  [
    /EINTEGRITY/,
    'program_changed',
    'The registry sent another package than the one that Hamlet knows by its hash, so nothing was installed: ask the admin of the registry.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|egress_unreachable/,
    'program_offline',
    `The registry of npm does not answer: try again, ${IN_IMAGE}.`,
  ],
];

type Fix = Pick<ProgramFailure, 'code'> & { readonly fix: string };

/** The exit code of a shell whose program was killed: in the hands, by the kernel for want of memory. */
const KILLED_EXIT = 137;

const ENDS: Readonly<Partial<Record<ProgramEnd['cause'], Fix>>> = {
  timeout: { code: 'program_timed_out', fix: 'It took too long: try again when the registry is faster.' },
  disk: { code: 'program_disk_full', fix: 'The disk of the machine is full: remove files that are not needed.' },
  memory: {
    code: 'program_out_of_memory',
    fix: 'The hands ran out of memory: give the agent a tier with at least 1 GiB, or less work at one time.',
  },
};

const FIXES: Readonly<Record<string, Fix>> = {
  egress_registry_off: {
    code: 'program_registry_off',
    fix: `The registry npm is switched off in this village: ask an admin to add npm to egress.registries, ${IN_IMAGE}.`,
  },
  egress_refused: { code: 'program_refused', fix: `The broker refused: see the record of its attempts, ${IN_IMAGE}.` },
  no_package_manager: {
    code: 'program_no_npm',
    fix: `The image of the hands has no npm: use another image, ${IN_IMAGE}.`,
  },
};

/** Explains why a program was not installed. Pure. */
export function failureOfProgram({ program, cause, exit, output }: FailedInstall): ProgramFailure {
  const failed = (code: ProgramFailure['code'], fix: string): ProgramFailure => ({
    code,
    message: `${program} was not installed. ${fix}`,
  });
  const ended = ENDS[exit === KILLED_EXIT ? 'memory' : cause];
  if (ended !== undefined) return failed(ended.code, ended.fix);
  const [, code, fix] = FORMS.find(([form]) => form.test(output)) ?? [];
  if (code !== undefined && fix !== undefined) return failed(code, fix);
  const known = FIXES[failureOfInstall('npm', { exit, output }).code];
  if (known !== undefined) return failed(known.code, known.fix);
  const words = output.trim().slice(-MAX_CAUSE_CHARS).toWellFormed();
  return failed('program_not_installed', words === '' ? 'npm said nothing: try again.' : `npm said: ${words}`);
}
