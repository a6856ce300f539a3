import type {
  ChatCompletionBody,
  ChatMessage,
  ChatPart,
  ResponseBody,
  ResponseInputItem,
  ResponsePart,
} from '@hamlet/contract';
import type { Refused } from '../../http/outcome.ts';
import { refusalOfFields } from '../chat/refused-fields.ts';
import { callableTools, chatChoice, chatTool, flatOf, type CallableTool } from './response-tools.ts';

type Content = ResponseInputItem['content'] | ResponseInputItem['output'];

function partOf({ type, text, refusal, image_url: url, filename, file_data: data }: ResponsePart): ChatPart {
  if (typeof url === 'string') return { type: 'image_url', image_url: { url } };
  if (typeof data === 'string') return { type: 'file', file: { filename, file_data: data } };
  return { type, text: text ?? refusal };
}

function contentOf(content: Content): NonNullable<ChatMessage['content']> {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : content.map(partOf);
}

type Call = NonNullable<ChatMessage['tool_calls']>[number];

function callOf(item: ResponseInputItem, known: readonly CallableTool[]): Call | null {
  const { type, call_id: id, name, namespace, arguments: text, input } = item;
  if (typeof id !== 'string' || typeof name !== 'string') return null;
  const flat = flatOf(known, { name, namespace });
  if (type === 'function_call') return { id, type: 'function', function: { name: flat, arguments: text ?? '{}' } };
  return type === 'custom_tool_call' ? { id, type: 'custom', custom: { name: flat, input: input ?? '' } } : null;
}

/** The part that an item adds to the assistant's message; null for an item of another role. */
function ofAssistant(item: ResponseInputItem, known: readonly CallableTool[]): Partial<ChatMessage> | null {
  const { type, role, content, summary, encrypted_content: sealed } = item;
  if (type === 'reasoning') {
    const text = (summary ?? []).map((each) => each.text).join('\n\n');
    return { reasoning_items: [{ text, sealed: sealed ?? null }] };
  }
  const call = callOf(item, known);
  if (call !== null) return { tool_calls: [call] };
  return role === 'assistant' ? { content: contentOf(content) } : null;
}

function ofOthers({ type, role, content, call_id: id, output }: ResponseInputItem): readonly ChatMessage[] {
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return [{ role: 'tool', tool_call_id: id, content: contentOf(output) }];
  return role === null || role === undefined ? [] : [{ role, content: contentOf(content) }];
}

type Parts = readonly ChatPart[];
const partsIn = (content: ChatMessage['content']): Parts =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);

function joinedContent(before: ChatMessage['content'], added: ChatMessage['content']): ChatMessage['content'] {
  if (added === undefined || added === null) return before;
  return before === undefined || before === null
    ? added
    : [...partsIn(before), { type: 'text', text: '\n\n' }, ...partsIn(added)];
}

function joined(message: ChatMessage, added: Partial<ChatMessage>): ChatMessage {
  const [calls, thoughts] = [added.tool_calls ?? [], added.reasoning_items ?? []];
  return {
    ...message,
    content: joinedContent(message.content, added.content),
    ...(calls.length === 0 ? {} : { tool_calls: [...(message.tool_calls ?? []), ...calls] }),
    ...(thoughts.length === 0 ? {} : { reasoning_items: [...(message.reasoning_items ?? []), ...thoughts] }),
  };
}

/** Thoughts, words and calls that follow one another are items here, and one message of the assistant in a chat. */
function messagesOf(items: readonly ResponseInputItem[], known: readonly CallableTool[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (const item of items) {
    const added = ofAssistant(item, known);
    const last = messages.at(-1);
    if (added === null) messages.push(...ofOthers(item));
    else if (last?.role === 'assistant') messages[messages.length - 1] = joined(last, added);
    else messages.push(joined({ role: 'assistant' }, added));
  }
  return messages;
}

function inputOf({ input, instructions }: ResponseBody, known: readonly CallableTool[]): readonly ChatMessage[] {
  const first = instructions ?? '';
  const said = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : messagesOf(input, known);
  return [...(first === '' ? [] : [{ role: 'system' as const, content: first }]), ...said];
}

function formatOf({ text }: ResponseBody): Partial<ChatCompletionBody> {
  const format = text?.format;
  if (format?.type === 'json_object') return { response_format: { type: 'json_object' } };
  if (format?.type !== 'json_schema') return {};
  const { name, schema, strict } = format;
  return { response_format: { type: 'json_schema', json_schema: { name, schema, strict } } };
}

/** Translates a body of the format Responses to Chat Completions, so that the gateway handles both in the same way. Pure. */
export function chatBodyOfResponse(body: ResponseBody): ChatCompletionBody {
  const { model, max_output_tokens, temperature, top_p, parallel_tool_calls, stream, metadata, service_tier } = body;
  const known = callableTools(body);
  const choice = body.tool_choice;
  return {
    model,
    messages: [...inputOf(body, known)],
    ...(known.length === 0 ? {} : { tools: known.map(chatTool) }),
    ...(choice === null || choice === undefined ? {} : { tool_choice: chatChoice(choice, known) }),
    ...formatOf(body),
    max_completion_tokens: max_output_tokens,
    temperature,
    top_p,
    parallel_tool_calls,
    reasoning_effort: body.reasoning?.effort,
    verbosity: body.text?.verbosity,
    service_tier,
    stream,
    metadata,
  };
}

const STORED = ['previous_response_id', 'conversation', 'prompt'] as const;

/** Refuses fields that need stored answers, or that would be dropped in silence. Null if there is none. Pure. */
export function refusalOfResponse(body: ResponseBody): Refused | null {
  const stored = STORED.filter((field) => body[field] !== null && body[field] !== undefined);
  const background = body.background === true ? ['background'] : [];
  return refusalOfFields([...stored, ...background, ...((body.top_logprobs ?? 0) > 0 ? ['top_logprobs'] : [])]);
}
