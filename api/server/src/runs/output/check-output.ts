import {
  hasMoreValues,
  isNestedDeeper,
  OUTPUT_LEVELS_MAX,
  RUN_OUTPUT_MAX_VALUES,
  type OutputSchema,
} from '@hamlet/contract';
import { readJson } from '@hamlet/core';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { z } from 'zod';

type Schema = z.infer<typeof OutputSchema>;

const WHY_MAX_CHARS = 400;
const NO_OUTPUT =
  'The agent gave no output: reboot an agent that is older than the village, or give the run to an agent with a model';

/**
 * Number of schemas that one instance of the library compiles. It keeps a part of each, so a new instance then replaces
 * it.
 */
export const SCHEMAS_OF_INSTANCE = 32;

let instance: Ajv2020 | null = null;
let left = 0;

/** The library takes 10 MB, so it is loaded with the first run that has an output schema. Rejects if it cannot be loaded now. */
async function load(): Promise<Ajv2020> {
  const { Ajv2020: Library } = await import('ajv/dist/2020.js');
  if (instance === null || left === 0) {
    instance = new Library({
      strictSchema: true,
      strictTypes: false,
      strictTuples: false,
      // One error suffices, and many would fill the memory.
      allErrors: false,
      validateFormats: false,
      logger: false,
    });
    left = SCHEMAS_OF_INSTANCE;
  }
  left -= 1;
  return instance;
}

/** Throws if the schema is invalid. */
function compiled(library: Ajv2020, given: Schema): ValidateFunction {
  const { $schema: _, ...schema } = given;
  return library.compile(schema);
}

/** Why a schema cannot be compiled, with the place; null if it can. */
export async function faultOfSchema(schema: Schema): Promise<string | null> {
  const library = await load();
  try {
    compiled(library, schema);
    return null;
  } catch (error) {
    return String(error instanceof Error ? error.message : error)
      .replaceAll(/\bdata\//g, 'output_schema/')
      .slice(0, WHY_MAX_CHARS);
  }
}

export type CheckedOutput =
  /** `json`: the output with each number as it was written. */
  Readonly<{ fits: true; json: string }> | Readonly<{ fits: false; why: string }>;

const unfit = (why: string): CheckedOutput => ({ fits: false, why: why.slice(0, WHY_MAX_CHARS) });

/** Checks the output of an agent against the schema of its run, both as JSON text. `given` may be any text. */
export async function checkOutput(schema: string, given: string | undefined): Promise<CheckedOutput> {
  if (given === undefined) return unfit(NO_OUTPUT);
  const value = readJson(given);
  if (value === undefined) return unfit('The output is not JSON');
  if (isNestedDeeper(value, OUTPUT_LEVELS_MAX)) return unfit(`The output has more than ${OUTPUT_LEVELS_MAX} levels`);
  if (hasMoreValues(value, RUN_OUTPUT_MAX_VALUES))
    return unfit(`The output has more than ${RUN_OUTPUT_MAX_VALUES} values`);
  const check = compiled(await load(), JSON.parse(schema) as Schema);
  if (check(value)) return { fits: true, json: withOwnDigits(given) };
  return unfit(`The output does not fit: ${inWords(check.errors?.[0])}`);
}

const inWords = ({ instancePath = '', message = 'unknown' }: Partial<ErrorObject> = {}): string =>
  `${instancePath === '' ? 'the whole' : instancePath} ${message}`;

/** The functions of JSON that TypeScript does not declare yet. */
const EXACT = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/** The same JSON without white space and repeated names, with each number as it was written. The nesting is limited. */
const withOwnDigits = (json: string): string =>
  JSON.stringify(
    EXACT.parse(json, (_name, value, { source }) =>
      typeof value === 'number' && source !== undefined ? EXACT.rawJSON(source) : value,
    ),
  );
