import type { ChatImage, ChatMessage, ChatRequest, ToolChoice } from '../../chat/chat-request.ts';
import { extraFieldsFor, type ExtraField } from '../../chat/extra-fields.ts';
import { dataUrl } from '../../chat/image-text.ts';
import { ModelFault } from '../../chat/model-error.ts';
import type { AdapterCall } from '../../chat/model.ts';
import { wellFormedJson } from '../../transport/json-text.ts';
import { openedSeal, REASONING_ITEM } from '../sealed-thought.ts';

interface WithImages {
  readonly images?: readonly ChatImage[] | undefined;
}
type Item = Readonly<Record<string, unknown>>;

function inputParts({ content, images = [] }: Pick<ChatMessage, 'content'> & WithImages): readonly Item[] {
  const pictures = images.map((image) => ({ type: 'input_image', image_url: dataUrl(image) }));
  return content === '' && pictures.length > 0 ? pictures : [{ type: 'input_text', text: content }, ...pictures];
}

function itemsOf(message: ChatMessage): readonly Item[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [{ type: 'message', role: 'user', content: inputParts(message) }];
    case 'tool': {
      const output = message.images === undefined ? message.content : inputParts(message);
      return [{ type: 'function_call_output', call_id: message.toolCallId, output }];
    }
    case 'assistant':
      return [
        ...(message.reasoning ?? []).map((item) => openedSeal(item, REASONING_ITEM)).filter((item) => item !== null),
        ...(message.content === ''
          ? []
          : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: message.content }] }]),
        ...(message.toolCalls ?? []).map(({ id, name, arguments: text }) => ({
          type: 'function_call',
          call_id: id,
          name,
          arguments: wellFormedJson(text),
        })),
      ];
    default:
      return message satisfies never;
  }
}

function choiceOf(choice: ToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.name };
}

function toolFields({ tools = [], toolChoice, parallelToolCalls }: ChatRequest): object {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters, strict = false }) => ({
      type: 'function',
      name,
      description,
      parameters,
      strict,
    })),
    ...(toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
    ...(parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }),
  };
}

function formatOf({ responseSchema: schema, jsonObject }: ChatRequest): object {
  if (schema !== undefined)
    return { format: { type: 'json_schema', name: schema.name, schema: schema.schema, strict: schema.strict ?? true } };
  return jsonObject === true ? { format: { type: 'json_object' } } : {};
}

const FIELDS: readonly ExtraField[] = ['reasoning_effort', 'verbosity', 'service_tier'];

function extraFields(request: ChatRequest): object {
  const { reasoning_effort: effort, verbosity, service_tier } = extraFieldsFor(FIELDS, request.extra);
  const text = { ...formatOf(request), ...(verbosity === undefined ? {} : { verbosity }) };
  return {
    ...(effort === undefined ? {} : { reasoning: { effort, summary: 'auto' } }),
    ...(service_tier === undefined ? {} : { service_tier }),
    ...(Object.keys(text).length === 0 ? {} : { text }),
  };
}

/**
 * The body of a request to `/responses` of a subscription. The server only streams and stores nothing. Omits `temperature`, `seed` and
 * `max_output_tokens`, which the server refuses. Refuses stop texts, because omitting them would change the answer. Pure.
 */
export function responsesBody({ request, model }: AdapterCall): Record<string, unknown> {
  const { messages, stop = [] } = request;
  if (stop.length > 0)
    throw new ModelFault(
      'bad_request',
      'a subscription does not support stop sequences: leave them out, or use another provider',
    );
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return {
    model,
    instructions: system.join('\n\n'),
    input: messages.flatMap(itemsOf),
    store: false,
    // Nothing is stored, so the next request must repeat the thoughts.
    include: ['reasoning.encrypted_content'],
    stream: true,
    ...toolFields(request),
    ...extraFields(request),
  };
}
