import { isJsonObject, repairAndValidate } from '../json/index.ts';

/** The marks with which models write calls, if their server does not read these as calls. */
const MARK = /^(?:<tool_call>|<function=|<function_calls?>|\[TOOL_CALLS\]|<\|python_tag\|>)/;
const FENCE = /^```[a-z_]*\s*([^`]*?)\s*```$/;
/** The block at the end of an answer: models announce a call in words before it. */
const LAST_BLOCK = /(?:^|\n)(```[a-z_]*\n[^`]*```|<tool_call>[^]*<\/tool_call>|<function=[^]*<\/function>)$/;
const NAMES = ['name', 'tool', 'function'];
const ARGUMENTS = ['arguments', 'parameters', 'input'];

/**
 * True if an answer is a call that the model wrote as text, or words that end with one: a person cannot use it, and it
 * runs nothing. Pure.
 */
export function isCallInWords(answer: string, tools: ReadonlySet<string>): boolean {
  const text = answer.trim();
  return isCall(text, tools) || isCall(LAST_BLOCK.exec(text)?.[1] ?? '', tools);
}

function isCall(text: string, tools: ReadonlySet<string>): boolean {
  if (MARK.test(text)) return true;
  const bare = FENCE.exec(text)?.[1] ?? text;
  if (!bare.startsWith('{')) return false;
  const read = repairAndValidate(bare);
  if (!read.ok || read.repair.actions.includes('taken_from_text') || !isJsonObject(read.value)) return false;
  const call = read.value;
  const isNamed = NAMES.some((key) => typeof call[key] === 'string' && tools.has(call[key]));
  return isNamed && ARGUMENTS.some((key) => typeof call[key] === 'object');
}
