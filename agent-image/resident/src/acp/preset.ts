import { RunFailure, type ProgramEnd } from '@hamlet/engine';

/**
 * A known program that speaks the Agent Client Protocol: `spec.runtime: { name: acp, config: { preset: NAME } }`. In `command`, the
 * values of `env`, and paths and texts of `files`, `{model}`, `{context}` (tokens; empty if unknown) and `{home}` are filled in. Its
 * process also has the variables of the door to models, with the key: `OPENAI_BASE_URL`, `OPENAI_API_KEY` and so on. A file never has the
 * key, because a key ends and a file stays.
 */
export type Preset = Readonly<{
  /** The name for people, for example Claude Code. */
  name: string;
  version: string;
  /** Names of licences, for people before they install it. */
  licence: string;
  megabytes: number;
  /** Folder of npm's lock file, and the packages whose own scripts run. */
  install: Readonly<{ lock: string; rebuild: readonly string[] }>;
  command: readonly [string, ...string[]];
  env: Readonly<Record<string, string>>;
  /** Files that are written before each start, with absolute paths that may begin with `{home}`. */
  files: readonly Readonly<{ path: string; text: string }>[];
  /** The mode of a session in which the program asks for permissions; null if it has no modes. */
  mode: string | null;
}>;

/** A program of the hands that the installer runs to its end. */
export type AsideProgram = Readonly<{
  argv: readonly [string, ...string[]];
  stdin?: string;
  timeoutMs: number;
  /** Called with its standard output as it arrives. */
  onOutput?: (text: string) => void;
}>;

/** An installation in words for people. `outcome`: null while it is under way. `detail`: why it failed; else empty. */
export type InstallState = Readonly<{ title: string; outcome: 'ok' | 'failed' | null; detail: string }>;

export type PreparePorts = Readonly<{
  /** Runs a program in the hands, in the place of the run. Rejects with `ProgramError`. */
  run: (program: AsideProgram) => Promise<ProgramEnd>;
  /** Called when an installation begins, at each further part of it, and at its end. */
  progress: (state: InstallState) => void;
  /** The agent's home in the hands, on its volume. */
  home: string;
  /** The values of the placeholders in texts. */
  values: Readonly<Record<string, string>>;
  signal: AbortSignal;
}>;

/** How a program is started. */
export type AcpLaunch = Readonly<{
  /** The name and version for people; the version is null for a program without a preset. */
  name: string;
  version: string | null;
  argv: readonly [string, ...string[]];
  env: Readonly<Record<string, string>>;
  mode: string | null;
}>;

/** Installs a preset if it is not there yet, writes its files, and returns its start. Rejects with `RunFailure`, whose message is for people. */
export type PreparePreset = (program: Preset, ports: PreparePorts) => Promise<AcpLaunch>;

export type Presets = Readonly<{
  programs: Readonly<Record<string, Preset>>;
  prepare: PreparePreset;
}>;

/** The preset of a name. Throws `RunFailure` that names all presets. */
export function presetOf({ programs }: Pick<Presets, 'programs'>, name: string): Preset {
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program !== undefined) return program;
  const known = Object.keys(programs).toSorted().join(', ');
  throw new RunFailure('acp_misconfigured', `There is no preset ${name}. Write one of: ${known}.`);
}
