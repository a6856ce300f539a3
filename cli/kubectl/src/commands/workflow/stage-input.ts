import { WORKFLOW_INPUT_MAX_CHARS } from '@hamlet/contract';
import { readFileSync, statSync } from 'node:fs';
import { Failure, type FlagValue } from '../../command.ts';

/** UTF-8 needs at most four bytes for a character. */
const FILE_MAX_BYTES = 4 * WORKFLOW_INPUT_MAX_CHARS;

/** The JSON text of `--input JSON|@FILE`, as it was written, so that its numbers keep all digits; undefined without the flag. Throws a Failure. */
export function inputOf(flag: FlagValue): string | undefined {
  if (typeof flag !== 'string') return undefined;
  const text = (flag.startsWith('@') ? fileText(flag.slice(1)) : flag).trim();
  try {
    JSON.parse(text);
  } catch (error) {
    const example = flag.startsWith('@') ? '' : `, for example --input='{"path": "src"}'`;
    throw new Failure(`--input is not JSON: ${wordsOf(error)}; write JSON${example}`, 2);
  }
  if (text.length <= WORKFLOW_INPUT_MAX_CHARS) return text;
  throw new Failure(tooLong, 2);
}

const tooLong = `--input has more than ${WORKFLOW_INPUT_MAX_CHARS} characters: shorten it, or let the workflow read it`;

function fileText(path: string): string {
  try {
    if (statSync(path).size <= FILE_MAX_BYTES) return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Failure(`--input @${path} cannot be read: ${wordsOf(error)}`, 2);
  }
  throw new Failure(tooLong, 2);
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
