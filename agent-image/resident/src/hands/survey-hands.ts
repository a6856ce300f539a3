import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { connectHands, type HandsClient } from './hands-client.ts';
import { startProcess, untilEnded, type EnvironmentOf } from './start-process.ts';

/** Programs that a model should know to be there, or not. */
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

/** Programs and files of the hands, as the hands report them. */
export interface HandsSurvey {
  readonly programs: readonly KnownProgram[];
  /** True if the image has its rules, `/app/AGENTS.md`, and its guides, `/app/docs/ai`. */
  readonly hasGuide: boolean;
}

const SURVEY_MS = 10_000;
const OUTPUT_BYTES = 4_096;
const GUIDE = '/app/AGENTS.md';
const SCRIPT = `for each in "$@"; do command -v "$each" >/dev/null && echo "$each"; done; test -r ${GUIDE} && echo ${GUIDE}`;

/** Asks the hands for their programs. Rejects with `HandsError`. */
export async function surveyHands(socket: string, environmentOf: EnvironmentOf): Promise<HandsSurvey> {
  const hands = await connectHands(socket);
  const owner = `survey.${randomUUID().slice(0, 8)}`;
  try {
    const place = { run: 'survey', call: 'survey' };
    const argv = ['/bin/sh', '-c', SCRIPT, 'hamlet-survey', ...KNOWN_PROGRAMS];
    const limits = { timeoutMs: SURVEY_MS, outputBytes: OUTPUT_BYTES };
    await startProcess(hands, { id: owner, owner, place, argv, cwd: '/', limits }, environmentOf);
    return surveyIn(await printedBy(hands, owner));
  } finally {
    await hands.ask('close', { owner }, z.unknown()).catch(() => {});
    hands.close();
  }
}

async function printedBy(hands: HandsClient, id: string): Promise<string> {
  const { stdout } = await untilEnded(hands, id, new AbortController().signal);
  return stdout?.head.toString() ?? '';
}

/** Only names that were asked for count: the hands may print anything. */
function surveyIn(printed: string): HandsSurvey {
  const lines = new Set(printed.split('\n'));
  return { programs: KNOWN_PROGRAMS.filter((name) => lines.has(name)), hasGuide: lines.has(GUIDE) };
}
