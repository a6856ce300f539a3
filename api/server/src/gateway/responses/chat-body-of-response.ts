import type {
  ChatCompletionBody,
  ChatMessage,
  ChatPart,
  ResponseBody,
  ResponseInputItem,
  ResponsePart,
} from '@hamlet/contract';
import { refused, type Refused } from '../../http/outcome.ts';
import { refusalOfFields } from '../chat/refused-fields.ts';
import { callableTools, chatChoice, chatTool, flatNames, type FlatNames } from './response-tools.ts';

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

function callOf(item: ResponseInputItem, flatOf: FlatNames): Call | null {
  const { type, call_id: id, name, namespace, arguments: text, input } = item;
  if (typeof id !== 'string' || typeof name !== 'string') return null;
  const flat = flatOf({ name, namespace });
  if (type === 'function_call') return { id, type: 'function', function: { name: flat, arguments: text ?? '{}' } };
  return type === 'custom_tool_call' ? { id, type: 'custom', custom: { name: flat, input: input ?? '' } } : null;
}

const PAUSE: ChatPart = { type: 'text', text: '\n\n' };
const partsIn = (content: NonNullable<ChatMessage['content']>): readonly ChatPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** One message of the assistant, which grows with each item that follows. Mutable, so that many items take linear time. */
class AssistantDraft {
  #content: ChatMessage['content'] = undefined;
  readonly #parts: ChatPart[] = [];
  readonly #calls: Call[] = [];
  readonly #thoughts: NonNullable<ChatMessage['reasoning_items']> = [];

  /** False for an item of another role. */
  takes(item: ResponseInputItem, flatOf: FlatNames): boolean {
    const { type, role, content, summary, encrypted_content: sealed } = item;
    const call = callOf(item, flatOf);
    if (type === 'reasoning')
      this.#thoughts.push({ text: (summary ?? []).map(({ text }) => text).join('\n\n'), sealed: sealed ?? null });
    else if (call !== null) this.#calls.push(call);
    else if (role === 'assistant') this.#say(contentOf(content));
    else return false;
    return true;
  }

  /** The first content stays as it is; later ones are joined to it as parts. */
  #say(content: NonNullable<ChatMessage['content']>): void {
    if (this.#content === undefined) {
      this.#content = content;
      return;
    }
    if (this.#parts.length === 0) this.#parts.push(...partsIn(this.#content ?? ''));
    this.#parts.push(PAUSE, ...partsIn(content));
  }

  message(): ChatMessage {
    return {
      role: 'assistant',
      content: this.#parts.length > 0 ? this.#parts : this.#content,
      ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
      ...(this.#thoughts.length === 0 ? {} : { reasoning_items: this.#thoughts }),
    };
  }
}

function ofOthers({ type, role, content, call_id: id, output }: ResponseInputItem): readonly ChatMessage[] {
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return [{ role: 'tool', tool_call_id: id, content: contentOf(output) }];
  return role === null || role === undefined ? [] : [{ role, content: contentOf(content) }];
}

/** Thoughts, words and calls that follow one another are items here, and one message of the assistant in a chat. */
function messagesOf(items: readonly ResponseInputItem[], flatOf: FlatNames): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  let draft: AssistantDraft | null = null;
  for (const item of items) {
    const next: AssistantDraft = draft ?? new AssistantDraft();
    if (next.takes(item, flatOf)) {
      draft = next;
      continue;
    }
    if (draft !== null) messages.push(draft.message());
    draft = null;
    messages.push(...ofOthers(item));
  }
  if (draft !== null) messages.push(draft.message());
  return messages;
}

function inputOf({ input, instructions }: ResponseBody, flatOf: FlatNames): readonly ChatMessage[] {
  const first = instructions ?? '';
  const said = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : messagesOf(input, flatOf);
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
  const flatOf = flatNames(known);
  const choice = body.tool_choice;
  return {
    model,
    messages: [...inputOf(body, flatOf)],
    ...(known.length === 0 ? {} : { tools: known.map(chatTool) }),
    ...(choice === null || choice === undefined ? {} : { tool_choice: chatChoice(choice, flatOf) }),
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

/** Maximum number of tools in all namespaces together. */
const TOOLS_MAX = 1_024;

const NEVER = ['previous_response_id', 'conversation', 'prompt', 'moderation'] as const;

const REFERENCE =
  'item_reference needs stored answers, and the village stores none: let the client send the items themselves (store: false)';

/** Without the item that it names, the model would miss its own words. */
function refusalOfReferences({ input }: ResponseBody): Refused | null {
  const at = typeof input === 'string' ? -1 : input.findIndex(({ type }) => type === 'item_reference');
  if (at < 0) return null;
  return { ...refused('unsupported_field', REFERENCE), errors: [{ path: `body.input.${at}`, message: REFERENCE }] };
}

/** Refuses fields that need stored answers, or that would be dropped in silence. Null if there is none. Pure. */
export function refusalOfResponse(body: ResponseBody): Refused | null {
  const count = callableTools(body).length;
  if (count > TOOLS_MAX)
    return refused('validation_failed', `tools: ${count} tools, and at most ${TOOLS_MAX} in all namespaces together`);
  const never = NEVER.filter((field) => body[field] !== null && body[field] !== undefined);
  const background = body.background === true ? ['background'] : [];
  const logprobs = (body.top_logprobs ?? 0) > 0 ? ['top_logprobs'] : [];
  return refusalOfFields([...never, ...background, ...logprobs]) ?? refusalOfReferences(body);
}
