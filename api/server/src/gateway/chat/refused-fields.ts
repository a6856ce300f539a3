import type { ChatCompletionBody, MessagesBody } from '@hamlet/contract';
import { refused, type Refused } from '../../http/outcome.ts';

const isAbsent = (value: unknown): boolean => value === null || value === undefined;

/** Fields of a body that no provider of a village supports. `isAsked`: false for values that mean the default. */
type Asked<Body> = readonly (readonly [field: string, isAsked: (body: Body) => boolean])[];

const OF_CHAT: Asked<ChatCompletionBody> = [
  ['n', ({ n }) => (n ?? 1) > 1],
  ['modalities', ({ modalities }) => (modalities ?? []).some((one) => one !== 'text')],
  ['audio', ({ audio }) => !isAbsent(audio)],
  ['web_search_options', ({ web_search_options: options }) => !isAbsent(options)],
  ['moderation', ({ moderation }) => !isAbsent(moderation)],
  ['functions', ({ functions }) => !isAbsent(functions)],
  ['function_call', ({ function_call: call }) => !isAbsent(call) && call !== 'none'],
];

const OF_MESSAGES: Asked<MessagesBody> = [
  ['mcp_servers', ({ mcp_servers: servers }) => (servers ?? []).length > 0],
  ['container', ({ container }) => !isAbsent(container)],
  ['thread', ({ thread }) => !isAbsent(thread)],
  ['compaction', ({ compaction }) => !isAbsent(compaction)],
];

/** The refusal of fields, each by its name and its place in the body. Pure. */
export function refusalOfFields(fields: readonly string[]): Refused | null {
  if (fields.length === 0) return null;
  const errors = fields.map((field) => ({ path: `body.${field}`, message: 'these models do not support this field' }));
  return { ...refused('unsupported_field', `These models do not support ${fields.join(', ')}: leave it out`), errors };
}

function refusalOf<Body>(body: Body, asked: Asked<Body>): Refused | null {
  return refusalOfFields(asked.filter(([, isAsked]) => isAsked(body)).map(([field]) => field));
}

/** Refuses fields that would be dropped in silence. Null if there is none. Pure. */
export const refusalOfChat = (body: ChatCompletionBody): Refused | null => refusalOf(body, OF_CHAT);

/** The same for a body in Anthropic's format. */
export const refusalOfMessages = (body: MessagesBody): Refused | null => refusalOf(body, OF_MESSAGES);
