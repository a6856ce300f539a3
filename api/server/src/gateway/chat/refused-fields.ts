import type { ChatCompletionBody } from '@hamlet/contract';
import { refused, type Refused } from '../../http/outcome.ts';

const isAbsent = (value: unknown): boolean => value === null || value === undefined;

/** Whether a body asks for something that no provider of a village gives. Other values of the field say the default. */
const ASKED: readonly (readonly [field: string, isAsked: (body: ChatCompletionBody) => boolean])[] = [
  ['n', ({ n }) => (n ?? 1) > 1],
  ['modalities', ({ modalities }) => (modalities ?? []).some((one) => one !== 'text')],
  ['audio', ({ audio }) => !isAbsent(audio)],
  ['web_search_options', ({ web_search_options: options }) => !isAbsent(options)],
  ['functions', ({ functions }) => !isAbsent(functions)],
  ['function_call', ({ function_call: call }) => !isAbsent(call) && call !== 'none'],
];

/** The refusal of fields, each by its name and its place in the body. Pure. */
export function refusalOfFields(fields: readonly string[]): Refused | null {
  if (fields.length === 0) return null;
  const errors = fields.map((field) => ({ path: `body.${field}`, message: 'these models have no such field' }));
  return { ...refused('unsupported_field', `These models have no ${fields.join(', ')}: leave it out`), errors };
}

/** Refuses fields that would be dropped in silence. Null if there is none. Pure. */
export function refusalOfChat(body: ChatCompletionBody): Refused | null {
  return refusalOfFields(ASKED.filter(([, isAsked]) => isAsked(body)).map(([field]) => field));
}
