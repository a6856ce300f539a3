import type { PermissionAnswer } from '@hamlet/contract';
import type { Button, Wish } from '../bot-port.ts';

const ANSWERS: Readonly<Record<string, PermissionAnswer>> = { a: 'allow', d: 'deny', h: 'happened', r: 'repeat' };
const PRESS = /^p:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([adhr])$/;
const CODE = /^[A-Z2-7]{10}$/;

/** The data of the button that answers a request: 40 bytes. Pure. */
export function pressData(permissionId: string, answer: PermissionAnswer): string {
  const letter = Object.entries(ANSWERS).find(([, word]) => word === answer)?.[0] ?? 'd';
  return `p:${permissionId}:${letter}`;
}

const LINK_PRESS = /^l:([A-Z2-7]{10})$/;
const CANCEL_PRESS = 'l:cancel';

/** The buttons under the question whether to link a chat to the account of a code. Pure. */
export const linkButtons = (code: string): readonly Button[] => [
  { text: 'Link', data: `l:${code}` },
  { text: 'Cancel', data: CANCEL_PRESS },
];

/** The wish in the data of a button; null for other data. Pure. */
export function readPress(data: string): Wish | null {
  if (data === CANCEL_PRESS) return { kind: 'cancel_link' };
  const [, code] = LINK_PRESS.exec(data) ?? [];
  if (code !== undefined) return { kind: 'confirm_link', code };
  const [, permissionId, letter = ''] = PRESS.exec(data) ?? [];
  const answer = ANSWERS[letter];
  return permissionId === undefined || answer === undefined ? null : { kind: 'answer', permissionId, answer };
}

const PAY = /^\/pay(?:@\w+)?(?:\s|$)/;
const OFFER = /^\/pay\S*\s+(\d[\d.,]*)\s+(\S[^]*)$/;

/** A comma before three digits: a thousand for some people, and a part of one for others. */
const AMBIGUOUS = /,\d{3}(?:\D|$)/;

/** The wish in `/pay 2.5 TASK`; help for other words, and for an amount that can be read in two ways. */
function wishOfPay(text: string): Wish {
  const [, amount, task] = OFFER.exec(text) ?? [];
  if (amount === undefined || task === undefined || AMBIGUOUS.test(amount)) return { kind: 'help' };
  return { kind: 'offer', amount: amount.replace(',', '.'), task };
}

function wishOfCommand(command: string, code: string): Wish {
  if (command === 'new') return { kind: 'begin_new' };
  return command !== 'help' && CODE.test(code) ? { kind: 'link', code, word: null } : { kind: 'help' };
}

/** The wish in the text of a message: a command, a code, or words for the agent. Pure. */
export function wishOf(text: string): Wish {
  if (PAY.test(text)) return wishOfPay(text);
  const [, command, rest = ''] = /^\/(start|link|new|help)(?:@\w+)?(?:\s+(\S+))?\s*$/.exec(text) ?? [];
  if (command !== undefined) return wishOfCommand(command, rest.toUpperCase());
  const code = text.trim().toUpperCase();
  if (CODE.test(code)) return { kind: 'link', code, word: text };
  return code === '' ? { kind: 'unreadable' } : { kind: 'say', text };
}
