import type { Message, Part } from '@a2a-js/sdk';
import { PermissionAnswer, REPLY_MAX_CHARS } from '@hamlet/contract';
import { z } from 'zod';

const PARTS_MAX = 32;
const MESSAGE_ID_MAX_CHARS = 128;
const ANSWER_LINE = /^\s*(allow|deny|happened|repeat)\s+([0-9a-f-]{36})\s*$/i;

const Answer = z.strictObject({
  permission_id: z.uuid(),
  answer: PermissionAnswer,
  reply: z.string().min(1).max(REPLY_MAX_CHARS).optional(),
});
const Id = z.uuid().or(z.literal(''));

/** A message to an agent. `answer` is set if it answers a request for a permission by its id. */
export interface ReadMessage {
  readonly messageId: string;
  readonly contextId: string | null;
  readonly taskId: string | null;
  readonly text: string;
  readonly answer: z.infer<typeof Answer> | null;
}

/** The text of a part; null for a file. */
function textOf({ content }: Part): string | null {
  if (content?.$case === 'text') return content.value;
  return content?.$case === 'data' ? JSON.stringify(content.value) : null;
}

function givenAnswer({ content }: Part): unknown {
  if (content?.$case === 'data') return content.value;
  const line = content?.$case === 'text' ? ANSWER_LINE.exec(content.value) : null;
  const [, answer, permissionId] = line ?? [];
  return { answer: answer?.toLowerCase(), permission_id: permissionId?.toLowerCase() };
}

/** The answer to a request for a permission, as a data part or as the line `allow ID`. A word without an id answers nothing. */
function answerIn(parts: readonly Part[]): ReadMessage['answer'] {
  for (const part of parts) {
    const answer = Answer.safeParse(givenAnswer(part));
    if (answer.success) return answer.data;
  }
  return null;
}

function faultOfIds({ messageId, contextId, taskId }: Message): string | null {
  if (messageId === '' || messageId.length > MESSAGE_ID_MAX_CHARS)
    return `message.messageId: send an id of 1 to ${MESSAGE_ID_MAX_CHARS} characters, new for each message`;
  if (!Id.safeParse(contextId).success) return 'message.contextId: send one that the agent gave, or leave it out';
  return Id.safeParse(taskId).success ? null : 'message.taskId: send one that the agent gave, or leave it out';
}

type MessageReading =
  | { readonly kind: 'message'; readonly message: ReadMessage }
  /** It cannot be read; `fault` says what to send instead. */
  | { readonly kind: 'fault'; readonly fault: string }
  /** It has a part that is neither text nor JSON. */
  | { readonly kind: 'file' };

const orNull = (id: string): string | null => (id === '' ? null : id);

/** Reads a message of a caller. Pure. */
export function readMessage(sent: Message | undefined): MessageReading {
  if (sent === undefined) return { kind: 'fault', fault: 'message: send one' };
  const fault = faultOfIds(sent);
  if (fault !== null) return { kind: 'fault', fault };
  const { messageId, contextId, taskId, parts } = sent;
  if (parts.length === 0 || parts.length > PARTS_MAX)
    return { kind: 'fault', fault: `message.parts: send 1 to ${PARTS_MAX} parts` };
  const texts = parts.map(textOf);
  if (texts.includes(null)) return { kind: 'file' };
  const ids = { messageId, contextId: orNull(contextId), taskId: orNull(taskId) };
  return { kind: 'message', message: { ...ids, text: texts.join('\n\n'), answer: answerIn(parts) } };
}
