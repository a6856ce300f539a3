import type { Message, Part } from '@a2a-js/sdk';
import {
  GIVEN_FILE_MAX_BYTES,
  GIVEN_FILES_MAX,
  GivenFile,
  ONLY_FILES_TEXT,
  PermissionAnswer,
  REPLY_MAX_CHARS,
} from '@hamlet/contract';
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
  readonly files: readonly GivenFile[];
  readonly answer: z.infer<typeof Answer> | null;
}

/** The text of a part; null for a file. */
function textOf({ content }: Part): string | null {
  if (content?.$case === 'text') return content.value;
  return content?.$case === 'data' ? JSON.stringify(content.value) : null;
}

const OTHER_TYPE = 'application/octet-stream';
const UNFIT_FILES = `message.parts: send at most ${GIVEN_FILES_MAX} files of 1 to ${GIVEN_FILE_MAX_BYTES} bytes, named without folders`;

/** The bytes of a part as a file; null for any other part. A media type has no parameters, and is only for display. */
function fileIn({ content, filename, mediaType }: Part, place: number): GivenFile | 'unfit' | null {
  if (content?.$case !== 'raw') return null;
  const [type = ''] = mediaType.toLowerCase().split(';');
  const file = GivenFile.safeParse({
    name: filename === '' ? `file-${place + 1}` : filename,
    media_type: GivenFile.shape.media_type.safeParse(type.trim()).data ?? OTHER_TYPE,
    content: content.value.toString('base64'),
  });
  return file.success ? file.data : 'unfit';
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
  /** The message cannot be read; `fault` says what to send instead. */
  | { readonly kind: 'fault'; readonly fault: string }
  /** The message has a part that is neither text, JSON nor bytes. */
  | { readonly kind: 'address' };

const orNull = (id: string): string | null => (id === '' ? null : id);

/** Reads a message of a caller. Pure. */
export function readMessage(sent: Message | undefined): MessageReading {
  if (sent === undefined) return { kind: 'fault', fault: 'message: send one' };
  const fault = faultOfIds(sent);
  if (fault !== null) return { kind: 'fault', fault };
  const { messageId, contextId, taskId, parts } = sent;
  if (parts.length === 0 || parts.length > PARTS_MAX)
    return { kind: 'fault', fault: `message.parts: send 1 to ${PARTS_MAX} parts` };
  if (parts.some(({ content }) => content === undefined || content.$case === 'url')) return { kind: 'address' };
  const files = parts.map(fileIn).filter((file) => file !== null);
  const given = files.filter((file) => file !== 'unfit');
  if (files.length > GIVEN_FILES_MAX || given.length < files.length) return { kind: 'fault', fault: UNFIT_FILES };
  const texts = parts.map(textOf).filter((text) => text !== null);
  const text = texts.length === 0 ? ONLY_FILES_TEXT : texts.join('\n\n');
  const ids = { messageId, contextId: orNull(contextId), taskId: orNull(taskId) };
  return { kind: 'message', message: { ...ids, text, files: given, answer: answerIn(parts) } };
}
