import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { Time } from '../../values/scalars.ts';
import { ofPeople } from '../people/account.ts';

/** `needs`: as soon as something new waits, at most one email in 15 minutes. `morning`: once a day. */
const NOTICE_WANTS = ['off', 'needs', 'morning'] as const;
export type NoticeWants = (typeof NOTICE_WANTS)[number];

export type NoticeWay = 'mail' | 'push';

const ADDRESS_MAX_CHARS = 254;
/** One plain address in ASCII, so that no text of a person reaches another recipient or a header. */
const MailAddress = z.email('write one address, for example ada@example.org').max(ADDRESS_MAX_CHARS);
const ConfirmCode = z
  .string()
  .trim()
  .regex(/^[A-Z2-7]{10}$/, 'write the ten letters and digits of the mail');

const mine = { ...ofPeople, permission: 'account:self' } as const;

const Mail = z.strictObject({
  address: z.string().nullable().describe('The confirmed address'),
  awaits_code: z.string().nullable().describe('The address to which a code was sent'),
  wants: z.enum(NOTICE_WANTS),
  refused: z.boolean().describe('True if the server of the address refused an email permanently'),
  sent_at: Time.nullable().describe('Time of the last email'),
});

export const getMyNotices = defineRoute('getMyNotices GET /me/notices', {
  ...mine,
  summary: 'Where the village sends you what waits for you',
  answer: json(z.strictObject({ mail: Mail.nullable().describe('Null if this village sends no email') })),
  reasons: ['session_needed'],
});

export const sendMailCode = defineRoute('sendMailCode POST /me/notices/mail/code', {
  ...mine,
  summary: 'Send a code to an address, which confirms that it is yours',
  idempotency: 'natural',
  body: z.strictObject({ address: MailAddress }),
  answer: json(z.strictObject({ sent: z.literal(true) })),
  reasons: ['session_needed', 'mail_off', 'too_many_codes', 'mail_not_sent'],
});

export const confirmMail = defineRoute('confirmMail POST /me/notices/mail/confirm', {
  ...mine,
  summary: 'Confirm an address with the code that it received; mail begins with what needs you',
  idempotency: 'natural',
  body: z.strictObject({ code: ConfirmCode }),
  answer: json(z.strictObject({ address: z.string() })),
  reasons: ['session_needed', 'mail_code_wrong'],
});

export const changeMyMail = defineRoute('changeMyMail POST /me/notices/mail', {
  ...mine,
  summary: 'Choose when mail comes: off, needs or morning',
  idempotency: 'natural',
  body: z.strictObject({ wants: z.enum(NOTICE_WANTS) }),
  answer: json(z.strictObject({ wants: z.enum(NOTICE_WANTS) })),
  reasons: ['session_needed', 'no_mail_address'],
});

export const forgetMyMail = defineRoute('forgetMyMail DELETE /me/notices/mail', {
  ...mine,
  summary: 'Forget your address',
  idempotency: 'natural',
  answer: json(z.strictObject({ forgotten: z.literal(true) })),
  reasons: ['session_needed'],
});

const LeaveToken = z.strictObject({ token: z.string().regex(/^[\w-]{32,64}$/) });

/** Programs that read mail request it, without a session (RFC 8058). An unknown token gets the same answer. */
export const leaveMail = defineRoute('leaveMail POST /notices/leave', {
  tag: 'accounts',
  placement: 'versioned',
  audiences: ['people'],
  permission: 'anyone',
  summary: 'End the emails of one person with the token of such an email: its header List-Unsubscribe',
  idempotency: 'natural',
  rawBody: true,
  body: z.instanceof(Uint8Array).describe('`List-Unsubscribe=One-Click`'),
  query: LeaveToken,
  answer: json(z.strictObject({ left: z.literal(true) })),
});

/** A click on the same address must change nothing: filters of mail follow links. */
export const openLeaveMail = defineRoute('openLeaveMail GET /notices/leave', {
  tag: 'accounts',
  placement: 'versioned',
  audiences: ['people'],
  permission: 'anyone',
  summary: 'Redirect to the page on which a person changes their emails',
  query: LeaveToken,
  answer: { kind: 'redirect' },
});
