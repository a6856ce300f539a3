import { isJsonObject, repairAndValidate } from '../json/index.ts';

/** The marks with which models write calls, if their server does not read these as calls. */
const MARK = /^(?:<tool_call>|<function=|<function_calls?>|\[TOOL_CALLS\]|<\|python_tag\|>)/;
const FENCE = '```';
const FENCE_START = /^```[a-z_]*/;
/** Tags of a call at the end of an answer: models announce a call in words before it. */
const TAGS = [
  ['<tool_call>', '</tool_call>'],
  ['<function=', '</function>'],
] as const;
const NAMES = ['name', 'tool', 'function'];
const ARGUMENTS = ['arguments', 'parameters', 'input'];

/**
 * Finds a call that the model wrote as text: `alone`, or `after_words` at the end of others. A person cannot use it, and it runs
 * nothing. It takes time in proportion to the answer, whose text may be hostile. Pure.
 */
export function callInWords(answer: string, tools: ReadonlySet<string>): 'alone' | 'after_words' | null {
  const text = answer.trim();
  if (isCall(text, tools)) return 'alone';
  return isCall(lastBlock(text), tools) ? 'after_words' : null;
}

/** The block in a fence or in tags with which a text ends; empty without one. */
function lastBlock(text: string): string {
  if (text.endsWith(FENCE)) return fromLine(text, text.lastIndexOf(FENCE, text.length - 2 * FENCE.length));
  const [start] = TAGS.find(([, end]) => text.endsWith(end)) ?? [];
  return start === undefined ? '' : fromLine(text, text.indexOf(`\n${start}`) + 1);
}

const fromLine = (text: string, at: number): string => (at > 0 && text[at - 1] === '\n' ? text.slice(at) : '');

function isCall(text: string, tools: ReadonlySet<string>): boolean {
  if (MARK.test(text)) return true;
  const bare = unfenced(text);
  if (!bare.startsWith('{')) return false;
  const read = repairAndValidate(bare);
  if (!read.ok || read.repair.actions.includes('taken_from_text') || !isJsonObject(read.value)) return false;
  const call = read.value;
  const isNamed = NAMES.some((key) => typeof call[key] === 'string' && tools.has(call[key]));
  return isNamed && ARGUMENTS.some((key) => typeof call[key] === 'object');
}

/** The text of a block in a fence; another text as it is. */
function unfenced(text: string): string {
  const [start] = FENCE_START.exec(text) ?? [];
  const end = text.length - FENCE.length;
  if (start === undefined || start.length > end || text.indexOf(FENCE, start.length) !== end) return text;
  return text.slice(start.length, end).trim();
}
