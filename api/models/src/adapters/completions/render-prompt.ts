import type { ChatMessage, ChatRequest } from '../../chat/chat-request.ts';
import { ModelFault } from '../../chat/model-error.ts';

const LABELS = { system: 'Instructions', user: 'User', assistant: 'Assistant', tool: 'Result' } as const;
/** A line of a message that looks like the beginning of another message. */
const FORGED = new RegExp(`^(?=(?:${Object.values(LABELS).join('|')}):)`, 'gm');

/**
 * A model that continues texts would also write the other side of the conversation: the answer ends before these
 * labels.
 */
export const STOPS: readonly string[] = [LABELS.user, LABELS.system, LABELS.tool].map((label) => `\n${label}:`);

function lineOf({ role, content }: ChatMessage): string {
  return `${LABELS[role]}: ${content.trim().replaceAll(FORGED, '  ')}`;
}

/**
 * A conversation as the text that a base model continues. Lines in messages that look like a label are indented, so
 * that a message cannot pass as another. Tools and a schema are refused: a base model does not know them. Pure.
 */
export function renderPrompt({ messages, tools = [], toolChoice, responseSchema, jsonObject }: ChatRequest): string {
  if (tools.length > 0 && toolChoice !== 'none')
    throw new ModelFault('bad_request', 'a base model cannot call tools: ask without tools, or use a chat model');
  if (responseSchema !== undefined || jsonObject === true)
    throw new ModelFault('bad_request', 'a base model follows no schema: ask without one, or use a chat model');
  return [...messages.map(lineOf), `${LABELS.assistant}:`].join('\n\n');
}
