import { readJson } from '@hamlet/core';
import { z } from 'zod';
import { boundedBody } from '../../service/bounded-body.ts';
import { BotRefusal, type OutgoingFile, type OutgoingMessage } from '../bot-port.ts';

const ANSWER_MAX_BYTES = 4_194_304;
const CALL_LIMIT_MS = 15_000;
const FILE_LIMIT_MS = 60_000;
const UPDATES_MAX = 50;
const TEXT_MAX_CHARS = 4_096;
const NAME_MAX_CHARS = 128;

const Id = z.int();
const User = z.object({ id: Id, is_bot: z.boolean().default(false), first_name: z.string().max(NAME_MAX_CHARS) });
const Chat = z.object({ id: Id, type: z.string().max(32) });

/** An update with the parts that the village reads. A message without text is, for example, a picture or a sticker. */
const Update = z.object({
  update_id: z.int().min(0),
  message: z.object({ from: User.optional(), chat: Chat, text: z.string().max(TEXT_MAX_CHARS).optional() }).optional(),
  callback_query: z
    .object({
      id: z.string().max(64),
      from: User,
      data: z.string().max(64).optional(),
      message: z.object({ message_id: Id, chat: Chat }).optional(),
    })
    .optional(),
});
export type Update = z.infer<typeof Update>;

/** Requires only the number, so that the village can skip an update that it cannot read. */
const Numbered = z.object({ update_id: z.int().min(0) });

const Answer = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.int().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().min(0).optional() }).optional(),
});

/** A refusal of the Bot API: `status` as of HTTP. */
export class BotApiError extends BotRefusal {
  readonly status: number;
  constructor(method: string, { error_code: status = 500, description = '', parameters }: z.infer<typeof Answer>) {
    super(`${method}: Telegram refuses it with ${status}: ${description.slice(0, 200)}`, {
      isFinal: status === 400 || status === 403,
      retryAfterS: parameters?.retry_after ?? null,
    });
    this.name = 'BotApiError';
    this.status = status;
  }
}

export interface OutgoingText extends Pick<OutgoingMessage, 'text' | 'buttons'> {
  /** Id of a private chat: that of its person. */
  readonly chatId: string;
  readonly isHtml?: boolean;
}

/** The Bot API as one bot. Errors never contain the token. */
interface BotApi {
  /** Waits up to `waitS` for updates from number `from` on; null stands for an update that cannot be read. */
  poll(
    from: number,
    waitS: number,
    signal: AbortSignal,
  ): Promise<readonly { readonly updateId: number; readonly update: Update | null }[]>;
  /** The name of the bot in addresses. */
  username(): Promise<string>;
  /** Resolves with the id of the message. */
  send(message: OutgoingText): Promise<string>;
  sendFile(chatId: string, file: Omit<OutgoingFile, 'to'>): Promise<void>;
  edit(messageId: string, message: OutgoingText): Promise<void>;
  remove(chatId: string, messageId: string): Promise<void>;
  /** Answers the press of a button with a short notice. */
  answerPress(pressId: string, text: string): Promise<void>;
  removeButtons(chatId: string, messageId: string): Promise<void>;
}

const Sent = z.object({ message_id: Id });
const Me = z.object({ username: z.string().regex(/^\w{1,32}$/) });

function textFields({ text, isHtml = false }: Pick<OutgoingText, 'text' | 'isHtml'>) {
  return { text, ...(isHtml ? { parse_mode: 'HTML' } : {}), link_preview_options: { is_disabled: true } };
}

function formOf(chatId: string, { name, mediaType, content }: Omit<OutgoingFile, 'to'>): FormData {
  const form = new FormData();
  form.set('chat_id', chatId);
  form.set('document', new Blob([new Uint8Array(content)], { type: mediaType }), name);
  return form;
}

const placeOf = (chatId: string, messageId: string) => ({ chat_id: Number(chatId), message_id: Number(messageId) });

/** @param url origin of the Bot API, for example https://api.telegram.org */
export function createBotApi(url: string, token: string): BotApi {
  async function call(method: string, body: object, signal = AbortSignal.timeout(CALL_LIMIT_MS)): Promise<unknown> {
    const sent =
      body instanceof FormData
        ? { body }
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    let text: string;
    try {
      const to = `${url}/bot${token}/${method}`;
      const response = await fetch(to, { method: 'POST', redirect: 'error', signal, ...sent });
      text = (await boundedBody(response.body, ANSWER_MAX_BYTES)).toString('utf8');
    } catch (error) {
      // The error of fetch may name the address, which has the token.
      throw new Error(`${method}: Telegram does not answer (${error instanceof Error ? error.name : 'error'})`);
    }
    const answer = Answer.safeParse(readJson(text));
    if (!answer.success) throw new Error(`${method}: the answer of Telegram cannot be read`);
    if (answer.data.ok) return answer.data.result;
    throw new BotApiError(method, answer.data);
  }

  return {
    poll: async (from, waitS, signal) => {
      const body = { offset: from, timeout: waitS, limit: UPDATES_MAX, allowed_updates: ['message', 'callback_query'] };
      const limit = AbortSignal.any([signal, AbortSignal.timeout(waitS * 1_000 + CALL_LIMIT_MS)]);
      const read = z
        .array(z.unknown())
        .max(UPDATES_MAX)
        .parse(await call('getUpdates', body, limit));
      return read.map((each) => ({
        updateId: Numbered.parse(each).update_id,
        update: Update.safeParse(each).data ?? null,
      }));
    },
    username: async () => Me.parse(await call('getMe', {})).username,
    send: async ({ chatId, buttons = [], ...shown }) => {
      const keyboard = buttons.map(({ text: word, data }) => ({ text: word, callback_data: data }));
      const sent = await call('sendMessage', {
        chat_id: Number(chatId),
        ...textFields(shown),
        ...(keyboard.length === 0 ? {} : { reply_markup: { inline_keyboard: [keyboard] } }),
      });
      return String(Sent.parse(sent).message_id);
    },
    sendFile: async (chatId, file) => {
      await call('sendDocument', formOf(chatId, file), AbortSignal.timeout(FILE_LIMIT_MS));
    },
    edit: async (messageId, { chatId, ...shown }) => {
      await call('editMessageText', { ...placeOf(chatId, messageId), ...textFields(shown) });
    },
    remove: async (chatId, messageId) => {
      await call('deleteMessage', placeOf(chatId, messageId));
    },
    answerPress: async (pressId, text) => {
      await call('answerCallbackQuery', { callback_query_id: pressId, text: text.slice(0, 200) });
    },
    removeButtons: async (chatId, messageId) => {
      await call('editMessageReplyMarkup', placeOf(chatId, messageId));
    },
  };
}
