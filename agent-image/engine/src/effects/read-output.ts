import { hasAtMost, repairAndValidate, type JsonErrorCode, type JsonSchema, type RepairAction } from '../json/index.ts';

/** Maximum size of the answer of a run with an output schema. The API takes no more. */
const OUTPUT_MAX_CHARS = 65_536;
const OUTPUT_MAX_VALUES = 2_000;
const ERROR_MAX_CHARS = 2_000;

/** The form in which a run must answer. `answers`: how many of its answers are read, before the run fails. */
export type OutputForm = Readonly<{ schema: JsonSchema; answers: number }>;

/** An answer held to the schema of its run. `text`: its value as JSON if it fits (`code` is null), else the error for the model. */
export type ReadOutput = Readonly<{ code: JsonErrorCode | null; text: string; repair: readonly RepairAction[] }>;

/** Reads the answer of a run: repaired if that is certain, else with the exact error. Numbers keep all digits. Pure. */
export function readOutput(answer: string, schema: JsonSchema): ReadOutput {
  if (answer.length > OUTPUT_MAX_CHARS) return TOO_LONG;
  const read = repairAndValidate(answer, schema);
  const { actions: repair } = read.repair;
  if (!read.ok) return { code: read.code, text: read.error.slice(0, ERROR_MAX_CHARS), repair };
  if (!hasAtMost(read.value, OUTPUT_MAX_VALUES)) return tooLarge(`${OUTPUT_MAX_VALUES} values`);
  const text = JSON.stringify(read.value);
  return text.length > OUTPUT_MAX_CHARS ? TOO_LONG : { code: null, text, repair };
}

const tooLarge = (most: string): ReadOutput => ({
  code: 'JSON_SCHEMA_MAJOR_MISMATCH',
  text: `the answer has more than ${most}`,
  repair: [],
});
const TOO_LONG = tooLarge(`${OUTPUT_MAX_CHARS} characters`);
