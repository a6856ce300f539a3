import type { PermissionAnswer } from '@hamlet/contract';
import type { Update } from './bot-api.ts';

/** The wish of a person in an update. */
export type Wish =
  /** `word` is the text itself if it looks like a code, as many words of ten letters do; null for a command. */
  | { readonly kind: 'link'; readonly code: string; readonly word: string | null }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'begin_new' | 'help' | 'unreadable' }
  | { readonly kind: 'answer'; readonly permissionId: string; readonly answer: PermissionAnswer };

export interface Received {
  readonly sender: { readonly id: number; readonly name: string };
  readonly chatId: number;
  readonly wish: Wish;
  /** The pressed button, if one was pressed. */
  readonly press: { readonly id: string; readonly messageId: number } | null;
}

const ANSWERS: Readonly<Record<string, PermissionAnswer>> = { a: 'allow', d: 'deny', h: 'happened', r: 'repeat' };
const PRESS = /^p:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([adhr])$/;
const CODE = /^[A-Z2-7]{10}$/;

/** The data of the button that answers a request: 40 bytes. Pure. */
export function pressData(permissionId: string, answer: PermissionAnswer): string {
  const letter = Object.entries(ANSWERS).find(([, word]) => word === answer)?.[0] ?? 'd';
  return `p:${permissionId}:${letter}`;
}

function wishOfCommand(command: string, code: string): Wish {
  if (command === 'new') return { kind: 'begin_new' };
  return command !== 'help' && CODE.test(code) ? { kind: 'link', code, word: null } : { kind: 'help' };
}

function wishOf(text: string): Wish {
  const [, command, rest = ''] = /^\/(start|link|new|help)(?:@\w+)?(?:\s+(\S+))?\s*$/.exec(text) ?? [];
  if (command !== undefined) return wishOfCommand(command, rest.toUpperCase());
  const code = text.trim().toUpperCase();
  if (CODE.test(code)) return { kind: 'link', code, word: text };
  return code === '' ? { kind: 'unreadable' } : { kind: 'say', text };
}

const isPerson = (
  from: { readonly is_bot: boolean } | undefined,
  chat: { readonly type: string } | undefined,
): boolean => from?.is_bot === false && chat?.type === 'private';

function readPress({ id, from, data, message }: NonNullable<Update['callback_query']>): Received | null {
  const [, permissionId, letter = ''] = PRESS.exec(data ?? '') ?? [];
  const answer = ANSWERS[letter];
  if (permissionId === undefined || answer === undefined || message === undefined) return null;
  if (!isPerson(from, message.chat)) return null;
  return {
    sender: { id: from.id, name: from.first_name },
    chatId: message.chat.id,
    wish: { kind: 'answer', permissionId, answer },
    press: { id, messageId: message.message_id },
  };
}

/**
 * Reads an update; null if the village ignores it: a group, another bot, or a kind that it does not know. A group has
 * people who may not read the person's conversation. Pure.
 */
export function readUpdate({ message, callback_query: press }: Update): Received | null {
  if (press !== undefined) return readPress(press);
  const sender = message?.from;
  if (message === undefined || sender === undefined || !isPerson(sender, message.chat)) return null;
  const wish: Wish = message.text === undefined ? { kind: 'unreadable' } : wishOf(message.text);
  return { sender: { id: sender.id, name: sender.first_name }, chatId: message.chat.id, wish, press: null };
}
