import { OUTPUT_SCHEMA_MAX_BYTES, OutputSchema } from '@hamlet/contract';
import { readFileSync, statSync } from 'node:fs';
import { prettifyError, type z } from 'zod';
import { Failure } from './command.ts';

/** A file may have more white space than the request with its schema. */
const FILE_MAX_BYTES = 16 * OUTPUT_SCHEMA_MAX_BYTES;

/** The output schema in a file of JSON. Throws a Failure with the place of the fault, before the api is called. */
export function readOutputSchema(file: string): z.infer<typeof OutputSchema> {
  const found = OutputSchema.safeParse(jsonIn(file));
  if (!found.success) throw new Failure(`${file}: ${prettifyError(found.error)}`);
  return found.data;
}

function jsonIn(file: string): unknown {
  try {
    if (statSync(file).size > FILE_MAX_BYTES)
      throw new Failure(`${file} is larger than ${FILE_MAX_BYTES / 1_024} KiB: write a smaller schema`);
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
