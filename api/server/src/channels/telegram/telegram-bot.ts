import { keepChannelPlace, readChannelPlace, type Db } from '@hamlet/store';
import type { Bot } from '../bot-port.ts';
import { telegramHtml } from '../text/telegram-html.ts';
import { BotApiError, createBotApi, type OutgoingText } from './bot-api.ts';
import { readUpdate } from './read-update.ts';

/** Another replica that begins to lead waits for the end of this poll. */
const POLL_S = 10;
/** Telegram takes 4,096 UTF-16 units after it has read the tags. */
const PART_MAX_CHARS = 4_000;
/** Below the 50 MB that a bot may send; an artifact has at most 5 MiB. */
const FILE_MAX_BYTES = 20 * 1024 * 1024;

interface TelegramPorts {
  readonly db: Db;
  /** Origin of the Bot API. */
  readonly url: string;
}

/** The bot of an agent at Telegram. The public part of its token is its id. */
export function telegramBot({ db, url }: TelegramPorts, agentId: string, token: string): Bot {
  const api = createBotApi(url, token);
  const id = token.split(':')[0] ?? '';

  /** With formatting, and plain if Telegram cannot read the formatting. */
  async function formatted<T>(text: string, act: (shown: Pick<OutgoingText, 'text' | 'isHtml'>) => Promise<T>) {
    try {
      return await act({ text: telegramHtml(text), isHtml: true });
    } catch (error) {
      if (!(error instanceof BotApiError) || error.status !== 400) throw error;
      return act({ text });
    }
  }

  /** Asked once, and again after a failure. */
  let page: Promise<string> | null = null;
  async function askPage(): Promise<string> {
    try {
      return `https://t.me/${await api.username()}`;
    } catch (error) {
      page = null;
      throw error;
    }
  }

  return {
    channel: 'telegram',
    agentId,
    id,
    commandSign: '/',
    partMaxChars: PART_MAX_CHARS,
    fileMaxBytes: FILE_MAX_BYTES,
    receive: async (take, signal) => {
      const from = await readChannelPlace(db, id);
      for (const { updateId, update } of await api.poll(from, POLL_S, signal)) {
        if (signal.aborted) return;
        const received = update === null ? null : readUpdate(update);
        if (received !== null) await take(received);
        await keepChannelPlace(db, id, updateId + 1);
      }
    },
    reply: async ({ sender, press }, { text, isDecided, buttons = [], stays = false }) => {
      if (text !== null && (press === null || stays)) await api.send({ chatId: sender.id, text, buttons });
      if (press === null) return;
      await api.answerPress(press.id, stays ? '' : (text ?? ''));
      if (isDecided) await api.removeButtons(sender.id, press.messageId);
    },
    page: () => (page ??= askPage()),
    send: async ({ to: chatId, text, isMarkdown = false, buttons = [] }) =>
      isMarkdown
        ? formatted(text, (shown) => api.send({ chatId, buttons, ...shown }))
        : api.send({ chatId, text, buttons }),
    sendFile: ({ to, ...file }) => api.sendFile(to, file),
    edit: async (messageId, { to, text, isMarkdown = false }) => {
      const edit = (shown: Pick<OutgoingText, 'text' | 'isHtml'>) => api.edit(messageId, { chatId: to, ...shown });
      await (isMarkdown ? formatted(text, edit) : edit({ text }));
    },
    remove: (to, messageId) => api.remove(to, messageId),
  };
}
