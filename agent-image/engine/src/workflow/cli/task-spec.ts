import { readFileSync, statSync } from 'node:fs';
import { ANSWERS, type Answer } from '../../journal/event.ts';
import { schemaProblems } from '../manifest/schema-problems.ts';
import { Override } from '../route/override.ts';
import type { Flags } from './command-line.ts';

/** A flag whose value cannot be used. The message names the flag and the fix. */
export class WrongFlag extends Error {}

const MAX_INPUT_BYTES = 16_000_000;

/** The input of `--input`: JSON, or a file with it. Throws `WrongFlag`. */
export function readInput(given: string | null): unknown {
  if (given === null) return {};
  const text = given.startsWith('@') ? fileText(given.slice(1)) : given;
  try {
    return JSON.parse(text);
  } catch (error) {
    const fix = given.startsWith('@') ? '' : `, for example --input '{"path": "src"}'`;
    throw new WrongFlag(`--input is not JSON: ${wordsOf(error)}; write JSON${fix}`);
  }
}

function fileText(path: string): string {
  try {
    if (statSync(path).size <= MAX_INPUT_BYTES) return readFileSync(path, 'utf8');
  } catch (error) {
    throw new WrongFlag(`--input @${path} cannot be read: ${wordsOf(error)}`);
  }
  throw new WrongFlag(
    `--input @${path} has more than ${MAX_INPUT_BYTES} bytes; shorten it, or let the workflow read it`,
  );
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The override of one `--override`: a kind alone, or JSON. Throws `WrongFlag`. */
function readOverride(given: string): Override {
  const value = given.startsWith('{') ? jsonOf(given) : { kind: given };
  const parsed = Override.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = schemaProblems({ file: '', schema: Override, value }, parsed.error.issues, 1);
  const words = problems.map(({ message, hint }) => (hint === null ? message : `${message}. ${hint}`));
  throw new WrongFlag(`--override ${given}: ${words.join()}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WrongFlag(`--override ${text} is not JSON: ${wordsOf(error)}`);
  }
}

/** The answer of one `--answer QUESTION=ANSWER`. Throws `WrongFlag`. */
export function readAnswer(given: string): Readonly<{ request: string; answer: Answer }> {
  const at = given.lastIndexOf('=');
  const answer = ANSWERS.find((each) => each === given.slice(at + 1));
  if (at > 0 && answer !== undefined) return { request: given.slice(0, at), answer };
  throw new WrongFlag(`--answer ${given}: write QUESTION=ANSWER, with ${ANSWERS.join(', ')} as the answer`);
}

/** The parts of a new task that flags give. Throws `WrongFlag`. */
export const taskSpec = ({ input, mode, tags, pipeline, overrides }: Flags) => ({
  input: readInput(input),
  tags,
  overrides: overrides.map(readOverride),
  ...(mode === null ? {} : { mode }),
  ...(pipeline === null ? {} : { pipeline }),
});
