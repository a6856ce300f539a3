import { z } from 'zod';
import { boundedBody } from '../../service/bounded-body.ts';

const ANSWER_MAX_BYTES = 4_194_304;
const CALL_LIMIT_MS = 15_000;
/** Updates of one poll. */
const UPDATES_MAX = 50;
const TEXT_MAX_CHARS = 4_096;
const NAME_MAX_CHARS = 128;

const Id = z.int();
const User = z.object({ id: Id, is_bot: z.boolean().default(false), first_name: z.string().max(NAME_MAX_CHARS) });
const Chat = z.object({ id: Id, type: z.string().max(32) });

/** An update with the parts that the village reads; a message without text is a picture, a sticker and the like. */
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

/** At least the number, so that a strange update is skipped. */
const Numbered = z.object({ update_id: z.int().min(0) });

const Answer = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.int().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().min(0).optional() }).optional(),
});

/** A refusal of the Bot API: `status` as of HTTP, with the time to wait if there is one. */
export class BotApiError extends Error {
  readonly status: number;
  readonly retryAfterS: number | null;
  constructor(method: string, answer: z.infer<typeof Answer>) {
    const { error_code: status = 500, description = '', parameters } = answer;
    super(`${method}: Telegram refuses it with ${status}: ${description.slice(0, 200)}`);
    this.name = 'BotApiError';
    this.status = status;
    this.retryAfterS = parameters?.retry_after ?? null;
  }
}

interface Button {
  readonly text: string;
  /** At most 64 bytes. */
  readonly data: string;
}

export interface OutgoingText {
  readonly chatId: number;
  readonly text: string;
  readonly isHtml?: boolean;
  readonly buttons?: readonly Button[];
}

/** The Bot API as one bot. Errors never contain the token. */
export interface BotApi {
  /** Waits up to `waitS` for updates from number `from` on; null stands for an update that cannot be read. */
  poll(
    from: number,
    waitS: number,
    signal: AbortSignal,
  ): Promise<readonly { readonly updateId: number; readonly update: Update | null }[]>;
  send(message: OutgoingText): Promise<void>;
  /** Answers the press of a button with a short notice. */
  answerPress(pressId: string, text: string): Promise<void>;
  removeButtons(chatId: number, messageId: number): Promise<void>;
}

/** @param url origin of the Bot API, for example https://api.telegram.org */
export function createBotApi(url: string, token: string): BotApi {
  async function call(method: string, body: object, signal = AbortSignal.timeout(CALL_LIMIT_MS)): Promise<unknown> {
    let text: string;
    try {
      const response = await fetch(`${url}/bot${token}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal,
      });
      text = (await boundedBody(response.body, ANSWER_MAX_BYTES)).toString('utf8');
    } catch (error) {
      // The error of fetch may name the address, which has the token.
      throw new Error(`${method}: Telegram does not answer (${error instanceof Error ? error.name : 'error'})`);
    }
    const answer = Answer.safeParse(jsonOf(text));
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
    send: async ({ chatId, text, isHtml = false, buttons = [] }) => {
      const keyboard = buttons.map(({ text: word, data }) => ({ text: word, callback_data: data }));
      await call('sendMessage', {
        chat_id: chatId,
        text,
        ...(isHtml ? { parse_mode: 'HTML' } : {}),
        link_preview_options: { is_disabled: true },
        ...(keyboard.length === 0 ? {} : { reply_markup: { inline_keyboard: [keyboard] } }),
      });
    },
    answerPress: async (pressId, text) => {
      await call('answerCallbackQuery', { callback_query_id: pressId, text: text.slice(0, 200) });
    },
    removeButtons: async (chatId, messageId) => {
      await call('editMessageReplyMarkup', { chat_id: chatId, message_id: messageId });
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
