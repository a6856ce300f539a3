import type { Received, Wish } from '../bot-port.ts';
import { readPress, wishOf } from '../text/read-wish.ts';
import type { Update } from './bot-api.ts';

const isPerson = (
  from: { readonly is_bot: boolean } | undefined,
  chat: { readonly type: string } | undefined,
): boolean => from?.is_bot === false && chat?.type === 'private';

function receivedPress(updateId: string, press: NonNullable<Update['callback_query']>): Received | null {
  const { id, from, data = '', message } = press;
  const wish = readPress(data);
  if (wish === null || message === undefined || !isPerson(from, message.chat)) return null;
  const sender = { id: String(from.id), name: from.first_name };
  return { updateId, sender, wish, press: { id, messageId: String(message.message_id) } };
}

/**
 * Reads an update; null if the village ignores it: a group, another bot, or a kind that it does not know. A group has
 * people who may not read the person's conversation. The id of a private chat is that of its person. Pure.
 */
export function readUpdate({ update_id: id, message, callback_query: press }: Update): Received | null {
  const updateId = String(id);
  if (press !== undefined) return receivedPress(updateId, press);
  const from = message?.from;
  if (message === undefined || from === undefined || !isPerson(from, message.chat)) return null;
  const wish: Wish = message.text === undefined ? { kind: 'unreadable' } : wishOf(message.text);
  return { updateId, sender: { id: String(from.id), name: from.first_name }, wish, press: null };
}
