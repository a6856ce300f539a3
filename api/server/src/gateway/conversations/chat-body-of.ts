import type { ChatCompletionBody, ChatMessage, CountedMessages, MessageBlock, MessagesBody } from '@hamlet/contract';
import { contentOf } from './message-parts.ts';

type Blocks = MessagesBody['messages'][number]['content'];

function blocksOf(content: Blocks): readonly MessageBlock[] {
  return typeof content === 'string' ? [] : content;
}

const FAILED = 'The call failed: ';

function resultOf({ tool_use_id: id, content, is_error: failed }: MessageBlock): ChatMessage {
  const read = contentOf(content);
  const said = (words: string): string => (failed === true ? `${FAILED}${words}` : words);
  const shown =
    typeof read === 'string' ? said(read) : failed === true ? [{ type: 'text', text: FAILED }, ...read] : read;
  return { role: 'tool', tool_call_id: id, content: shown };
}

/** Tool results go first, because they answer the calls of the previous message. */
function ofUser(content: Blocks): readonly ChatMessage[] {
  const results = blocksOf(content).flatMap((block) => (block.type === 'tool_result' ? [resultOf(block)] : []));
  const words = contentOf(content);
  return words === '' && results.length > 0 ? results : [...results, { role: 'user', content: words }];
}

function callsOf(blocks: readonly MessageBlock[]): NonNullable<ChatMessage['tool_calls']> {
  return blocks.flatMap(({ type, id, name, input }) =>
    type === 'tool_use'
      ? [
          {
            id: id ?? '',
            type: 'function' as const,
            function: { name: name ?? '', arguments: JSON.stringify(input ?? {}) },
          },
        ]
      : [],
  );
}

/** Thoughts of earlier answers with their signatures, because some providers need them again. */
function thoughtsOf(blocks: readonly MessageBlock[]): NonNullable<ChatMessage['reasoning_items']> {
  return blocks.flatMap(({ type, thinking, signature, data }) => {
    if (type === 'redacted_thinking') return [{ text: '', sealed: data ?? '' }];
    if (type !== 'thinking') return [];
    const sealed = signature === null || signature === undefined || signature === '' ? null : signature;
    return [{ text: thinking ?? '', sealed }];
  });
}

function ofAssistant(content: Blocks): ChatMessage {
  const blocks = blocksOf(content);
  const [calls, thoughts] = [callsOf(blocks), thoughtsOf(blocks)];
  return {
    role: 'assistant',
    content: contentOf(content),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(thoughts.length === 0 ? {} : { reasoning_items: thoughts }),
  };
}

function messagesOf({ role, content }: MessagesBody['messages'][number]): readonly ChatMessage[] {
  switch (role) {
    case 'system':
      return [{ role, content: contentOf(content) }];
    case 'user':
      return ofUser(content);
    case 'assistant':
      return [ofAssistant(content)];
    default:
      return role satisfies never;
  }
}

function choiceOf(choice: NonNullable<MessagesBody['tool_choice']>): ChatCompletionBody['tool_choice'] {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type;
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: choice.name } };
    default:
      return choice satisfies never;
  }
}

function toolsOf({ tools, tool_choice: choice }: CountedMessages): Partial<ChatCompletionBody> {
  if (tools === null || tools === undefined || tools.length === 0) return {};
  const isSingle =
    choice !== null && choice !== undefined && choice.type !== 'none' && choice.disable_parallel_tool_use === true;
  return {
    tools: tools.map(({ name, description, input_schema: parameters }) => ({
      type: 'function',
      function: { name, description: description ?? '', parameters },
    })),
    ...(choice === null || choice === undefined ? {} : { tool_choice: choiceOf(choice) }),
    ...(isSingle ? { parallel_tool_calls: false } : {}),
  };
}

export function conversationOf(body: CountedMessages): ChatCompletionBody {
  const { model, messages, system, output_config: output } = body;
  const first = contentOf(system);
  const schema = output?.format?.schema;
  return {
    model,
    messages: [...(first === '' ? [] : [{ role: 'system' as const, content: first }]), ...messages.flatMap(messagesOf)],
    ...toolsOf(body),
    ...(schema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }),
  };
}

/** Translates a body from Anthropic's format to OpenAI's, so that the gateway handles both in the same way. Pure. */
export function chatBodyOf(body: MessagesBody): ChatCompletionBody {
  const { max_tokens, temperature, top_p, top_k, thinking, stop_sequences: stop, stream, metadata } = body;
  return { ...conversationOf(body), max_tokens, temperature, top_p, top_k, thinking, stop, stream, metadata };
}
