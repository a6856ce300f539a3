import type { z } from 'zod';
import { asText, canonicalJson, isJsonObject, repairAndValidate, type Repair, type Repaired } from '../json/index.ts';

/**
 * `text`: valid JSON if the arguments could be read. `canonical`: the same as `canonicalArguments` of it. `repair`: null if they are as
 * the model wrote them.
 */
export type RepairedArguments = Readonly<{ text: string; canonical: string; repair: Repair | null }>;

/**
 * The arguments of a call as they were meant, before they are stored, judged and shown. `isCut`: the answer reached its limit of
 * tokens within them. Arguments without a certain meaning stay as the model wrote them. Pure.
 */
export function repairArguments(written: string, input: z.ZodType | undefined, isCut: boolean): RepairedArguments {
  if (written.trim() === '') return { text: written, canonical: '{}', repair: null };
  const options = { isCut, long: asText };
  const fitting: Repaired<unknown> = repairAndValidate(written, input, options);
  // A fault of the schema then names fields, although the syntax is wrong too.
  const read =
    fitting.ok || fitting.code === 'JSON_SYNTAX_ERROR' ? fitting : repairAndValidate(written, undefined, options);
  if (!read.ok || !isJsonObject(read.given)) return { text: written, canonical: written, repair: null };
  const canonical = canonicalJson(read.given);
  const isChanged = read.repair.category !== null;
  return isChanged
    ? { text: JSON.stringify(read.given), canonical, repair: read.repair }
    : { text: written, canonical, repair: null };
}
