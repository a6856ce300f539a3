import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { filled, ProgramError, RunFailure, type ProgramEnd } from '@hamlet/engine';
import type { AcpLaunch, AsideProgram, Preset, PreparePorts, PreparePreset } from '../preset.ts';
import { failureOfProgram } from './install-failure.ts';
import { InstallMeter, withoutMeter } from './install-meter.ts';
import { FILES_SCRIPT, PROGRAM_SCRIPT } from './install-script.ts';

/** Below the home in the hands. */
const PROGRAMS = '.hamlet/programs';
const STATES = '.hamlet/minds';
const FIND_MS = 60_000;
const INSTALL_MS = 1_800_000;
/** Context for programs that need one, if it is unknown. A model with a smaller one refuses, and the program then compacts. */
const USUAL_CONTEXT_TOKENS = 128_000;
/** An answer has at most this many tokens, and at most a quarter of the context, so that a program compacts in time. */
const ANSWER_TOKENS_MAX = 32_000;
const ANSWER_SHARE = 1 / 4;

/** The sizes that settings of programs name. Pure. */
export function sizesOf(contextTokens: string | undefined): Readonly<Record<'context' | 'answer', string>> {
  const context = Number(contextTokens) || USUAL_CONTEXT_TOKENS;
  const answer = Math.min(ANSWER_TOKENS_MAX, Math.floor(context * ANSWER_SHARE));
  return { context: String(context), answer: String(answer) };
}

/** Name, version, size and licence for people. Pure. */
export const programLabel = ({ name, version, megabytes, licence }: Preset): string =>
  `${name} ${version} (${String(megabytes)} MB, ${licence})`;

/**
 * Finds the program of a preset in the image of the hands or on the agent's volume, else installs it there, and writes its files.
 * Rejects with `RunFailure`, or with the reason of the signal. `locks` has a folder for each program, with package.json and lock
 * file: exact versions, and a hash of each package.
 */
export const prepareWith =
  (locks: string): PreparePreset =>
  (program, ports) =>
    prepare(program, packagesOf(program, locks), ports);

async function prepare(program: Preset, packages: Packages, ports: PreparePorts): Promise<AcpLaunch> {
  const place = { ...packages, folder: posix.join(ports.home, PROGRAMS, program.install.lock, program.version) };
  const [where = '', door = ''] = (await script('find', place, ports)).stdout.text.split('\n');
  if (door === '')
    throw new RunFailure('program_no_model', `${program.name} needs a model: connect one on the page of models.`);
  if (where === 'nowhere') await install(program, place, ports);
  const bin = where === 'image' ? '' : `${posix.join(place.folder, 'node_modules/.bin')}/`;
  const state = posix.join(ports.home, STATES, program.install.lock);
  const values = { ...ports.values, ...sizesOf(ports.values['context']), home: ports.home, state, bin, door };
  await writeFiles(program, values, ports);
  const [command, ...args] = program.command;
  const env = Object.entries(program.env).map(([name, text]): [string, string] => [name, filled(text, values)]);
  const { name, version, mode } = program;
  return {
    name,
    version: where === 'image' ? null : version,
    argv: [`${bin}${command}`, ...args.map((arg) => filled(arg, values))],
    env: Object.fromEntries(env),
    mode,
  };
}

interface Packages {
  readonly bin: string;
  readonly lock: string;
  readonly packages: string;
  readonly rebuild: string;
}

/** `folder`: that of this version in the hands. */
type ProgramPlace = Packages & { readonly folder: string };

function packagesOf({ command: [bin], install: { lock, rebuild } }: Preset, locks: string): Packages {
  const fileOf = (name: string): string => readFileSync(join(locks, lock, name), 'utf8');
  return {
    bin,
    lock: fileOf('package-lock.json'),
    packages: JSON.stringify(JSON.parse(fileOf('package.json'))),
    rebuild: rebuild.join(' '),
  };
}

async function install(program: Preset, place: ProgramPlace, ports: PreparePorts): Promise<void> {
  const label = programLabel(program);
  const title = `Installing ${label}`;
  const { name, version, licence } = program;
  ports.progress({ title, outcome: null, detail: '' });
  try {
    await installed(program, place, {
      ...ports,
      // The megabytes come first: lists and narrow windows cut the end of a line, and licences are long.
      onPart: (part) =>
        ports.progress({ title: `Installing ${part}: ${name} ${version}, ${licence}`, outcome: null, detail: '' }),
    });
    ports.progress({ title: `Installed ${label}`, outcome: 'ok', detail: '' });
  } catch (error) {
    if (error instanceof RunFailure) ports.progress({ title, outcome: 'failed', detail: error.message });
    throw error;
  }
}

type Installing = PreparePorts & { readonly onPart: (words: string) => void };

async function installed(program: Preset, place: ProgramPlace, { onPart, ...ports }: Installing): Promise<void> {
  const meter = new InstallMeter(program.megabytes);
  const onOutput = (text: string): void => {
    const part = meter.take(text);
    if (part !== null) onPart(part);
  };
  const { code, cause, stdout, stderr } = await script('install', place, { ...ports, onOutput });
  ports.signal.throwIfAborted();
  if (cause === 'exit' && code === 0) return;
  const output = `${stderr.text}\n${withoutMeter(stdout.text)}`;
  const failure = failureOfProgram({ program: programLabel(program), cause, exit: code, output });
  throw new RunFailure(failure.code, failure.message);
}

function script(
  action: 'find' | 'install',
  { bin, folder, lock, packages, rebuild }: ProgramPlace,
  { run, onOutput }: Pick<PreparePorts, 'run'> & Pick<AsideProgram, 'onOutput'>,
): Promise<ProgramEnd> {
  const hash = createHash('sha256').update(lock).digest('hex');
  return started(
    run({
      argv: ['bash', '-c', PROGRAM_SCRIPT, 'hamlet-program', action, bin, folder, hash, rebuild],
      ...(action === 'install' && { stdin: `${packages}\n${lock}` }),
      ...(onOutput && { onOutput }),
      timeoutMs: action === 'install' ? INSTALL_MS : FIND_MS,
    }),
  );
}

async function writeFiles(
  { name, files }: Preset,
  values: Readonly<Record<string, string>>,
  { run }: PreparePorts,
): Promise<void> {
  if (files.length === 0) return;
  const args = files.flatMap(({ path, text }) => [filled(path, values), filled(text, values)]);
  const { code, stderr } = await started(
    run({ argv: ['bash', '-c', FILES_SCRIPT, 'hamlet-files', ...args], timeoutMs: FIND_MS }),
  );
  if (code !== 0)
    throw new RunFailure(
      'program_not_prepared',
      `The files of ${name} cannot be written in the hands: ${stderr.text.trim()}`,
    );
}

const started = (end: Promise<ProgramEnd>): Promise<ProgramEnd> =>
  end.catch((error: unknown) => {
    if (!(error instanceof ProgramError)) throw error;
    throw new RunFailure('program_not_prepared', `The hands cannot prepare the program: ${error.message} Try again.`);
  });
