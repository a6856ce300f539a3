import { runAside, type EnvironmentOf } from './start-process.ts';

export const KNOWN_PROGRAMS = [
  'git',
  'gh',
  'rg',
  'jq',
  'curl',
  'python3',
  'pip',
  'node',
  'npm',
  'gcc',
  'g++',
  'make',
  'chromium',
  'playwright',
] as const;
export type KnownProgram = (typeof KNOWN_PROGRAMS)[number];

export interface HandsSurvey {
  readonly programs: readonly KnownProgram[];
  /** True if the image has its rules, `/app/AGENTS.md`, and its guides, `/app/docs/ai`. */
  readonly hasGuide: boolean;
}

const OUTPUT_BYTES = 4_096;
const GUIDE = '/app/AGENTS.md';
const SCRIPT = `for each in "$@"; do command -v "$each" >/dev/null && echo "$each"; done; test -r ${GUIDE} && echo ${GUIDE}`;

export function surveyHands(socket: string, environmentOf: EnvironmentOf): Promise<HandsSurvey> {
  const argv = ['/bin/sh', '-c', SCRIPT, 'hamlet-survey', ...KNOWN_PROGRAMS];
  const program = { name: 'survey', argv, outputBytes: OUTPUT_BYTES, environmentOf };
  return runAside(socket, program, ({ stdout }) => surveyIn(stdout?.head.toString() ?? ''));
}

/** Only requested names count, because the hands may print anything. */
function surveyIn(printed: string): HandsSurvey {
  const lines = new Set(printed.split('\n'));
  return { programs: KNOWN_PROGRAMS.filter((name) => lines.has(name)), hasGuide: lines.has(GUIDE) };
}
