import {
  asText,
  canonicalJson,
  isJsonObject,
  repairAndValidate,
  repairOf,
  type Repair,
  type Repaired,
  type RepairOptions,
} from '../json/index.ts';
import { withOwnNames } from './argument-aliases.ts';
import type { Tool } from './tool.ts';

/**
 * `text`: valid JSON if the arguments could be read. `canonical`: the same as `canonicalArguments` of it. `repair`: null if they are as
 * the model wrote them.
 */
export type RepairedArguments = Readonly<{ text: string; canonical: string; repair: Repair | null }>;

type Named = Pick<Tool, 'input' | 'aliases'>;

/**
 * The arguments of a call as they were meant, before they are stored, judged and shown. `isCut`: the answer reached its limit of
 * tokens within them. Arguments without a certain meaning stay as the model wrote them. Pure.
 */
export function repairArguments(written: string, tool: Named | undefined, isCut: boolean): RepairedArguments {
  if (written.trim() === '') return { text: written, canonical: '{}', repair: null };
  const options = { isCut, long: asText };
  const fitting: Repaired<unknown> = repairAndValidate(written, tool?.input, options);
  // A fault of the schema then names fields, although the syntax is wrong too.
  const read =
    fitting.ok || fitting.code === 'JSON_SYNTAX_ERROR'
      ? fitting
      : renamed(repairAndValidate(written, undefined, options), tool, options);
  if (!read.ok || !isJsonObject(read.given)) return { text: written, canonical: written, repair: null };
  const canonical = canonicalJson(read.given);
  const isChanged = read.repair.category !== null;
  return isChanged
    ? { text: JSON.stringify(read.given), canonical, repair: read.repair }
    : { text: written, canonical, repair: null };
}

/** The arguments under the names of the tool, if they then fit; else as they were read. */
function renamed(read: Repaired<unknown>, tool: Named | undefined, options: RepairOptions): Repaired<unknown> {
  if (tool?.aliases === undefined || !read.ok || !isJsonObject(read.given)) return read;
  const own = withOwnNames(read.given, tool.aliases);
  if (own === null) return read;
  const fitting = repairAndValidate<unknown>(JSON.stringify(own), tool.input, options);
  // A number that becomes a text keeps its digits only under the tool's own name.
  if (!fitting.ok || fitting.repair.actions.includes('number_to_text')) return read;
  return {
    ...fitting,
    repair: repairOf(new Set([...read.repair.actions, ...fitting.repair.actions, 'key_renamed'] as const)),
  };
}
