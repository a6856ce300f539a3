import { COMPLETION_TOKENS_MAX } from '@hamlet/contract';
import type { ChatCompletionBody, ChatMessage, CountedMessages, MessageBlock, MessagesBody } from '@hamlet/contract';

type Blocks = MessagesBody['messages'][number]['content'];
type ToolResult = Extract<MessageBlock, { readonly type: 'tool_result' }>;

function textOf(content: Blocks | MessagesBody['system'] | ToolResult['content']): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function blocksOf(content: Blocks): readonly MessageBlock[] {
  return typeof content === 'string' ? [] : content;
}

function resultOf({ tool_use_id, content, is_error }: ToolResult): ChatMessage {
  const text = textOf(content);
  return { role: 'tool', tool_call_id: tool_use_id, content: is_error === true ? `The call failed: ${text}` : text };
}

/** Tool results go first, because they answer the calls of the previous message. */
function ofUser(content: Blocks): readonly ChatMessage[] {
  const results = blocksOf(content).flatMap((block) => (block.type === 'tool_result' ? [resultOf(block)] : []));
  const text = textOf(content);
  return text === '' && results.length > 0 ? results : [...results, { role: 'user', content: text }];
}

function ofAssistant(content: Blocks): ChatMessage {
  const calls = blocksOf(content).flatMap((block) =>
    block.type === 'tool_use'
      ? [
          {
            id: block.id,
            type: 'function' as const,
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  );
  return { role: 'assistant', content: textOf(content), ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function messagesOf({ role, content }: MessagesBody['messages'][number]): readonly ChatMessage[] {
  switch (role) {
    case 'system':
      return [{ role, content: textOf(content) }];
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
  const first = textOf(system);
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
  const { max_tokens, temperature, stop_sequences: stop, stream, metadata } = body;
  return {
    ...conversationOf(body),
    max_tokens: Math.min(max_tokens, COMPLETION_TOKENS_MAX),
    temperature,
    stop,
    stream,
    metadata,
  };
}
