import type { z } from 'zod';
import { asText, isJsonObject, repairAndValidate, type Repair, type Repaired } from '../json/index.ts';

/** `text`: valid JSON if the arguments could be read. `repair`: null if they are as the model wrote them. */
export type RepairedArguments = Readonly<{ text: string; repair: Repair | null }>;

/**
 * The arguments of a call as they were meant, before they are stored, judged and shown. `isCut`: the answer reached its limit of
 * tokens within them. Arguments without a certain meaning stay as the model wrote them. Pure.
 */
export function repairArguments(written: string, input: z.ZodType | undefined, isCut: boolean): RepairedArguments {
  const unchanged = { text: written, repair: null };
  if (written.trim() === '') return unchanged;
  const options = { isCut, long: asText };
  const fitting: Repaired<unknown> = repairAndValidate(written, input, options);
  // A fault of the schema then names fields, although the syntax is wrong too.
  const read =
    fitting.ok || fitting.code === 'JSON_SYNTAX_ERROR' ? fitting : repairAndValidate(written, undefined, options);
  if (!read.ok || read.repair.category === null || !isJsonObject(read.given)) return unchanged;
  return { text: JSON.stringify(read.given), repair: read.repair };
}
