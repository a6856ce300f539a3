import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { plainText, Time } from '../../values/scalars.ts';
import { ofPeople } from '../people/account.ts';

/** `needs`: as soon as something new waits, at most one notice in 15 minutes. `morning`: once a day. */
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

const Browser = z.strictObject({
  browser_id: z.uuid(),
  name: z.string(),
  endpoint: z.string().describe('Its URL at its push service, by which a browser finds itself in the list'),
  wants: z.enum(NOTICE_WANTS),
  failure: z.string().nullable().describe('Code of the failures since its last notice; null if there are none'),
  added_at: Time,
  sent_at: Time.nullable().describe('Time of the last notice'),
});
export type NoticeBrowser = z.infer<typeof Browser>;

export const BROWSERS_OF_PERSON_MAX = 8;
export const BROWSER_NAME_MAX_CHARS = 64;
const ENDPOINT_MAX_CHARS = 1_024;
/** A point of P-256 without compression: 65 bytes. */
const P256DH_CHARS = 87;
/** 16 bytes. */
const AUTH_CHARS = 22;
const base64url = (chars: number) => z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${chars}}$`));

const Push = z.strictObject({
  public_key: z.string().describe('The key of the village with which a browser subscribes (VAPID)'),
  browsers: z.array(Browser).max(BROWSERS_OF_PERSON_MAX),
});

export const getMyNotices = defineRoute('getMyNotices GET /me/notices', {
  ...mine,
  summary: 'Where the village sends you what waits for you',
  answer: json(
    z.strictObject({
      mail: Mail.nullable().describe('Null if this village sends no email'),
      push: Push.nullable().describe('Null if this village notifies no browsers'),
    }),
  ),
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

export const addMyBrowser = defineRoute('addMyBrowser POST /me/notices/push', {
  ...mine,
  summary: 'Notify a browser of what needs you, with its subscription to a push service',
  // A browser that is added again keeps its row.
  idempotency: 'natural',
  body: z.strictObject({
    name: plainText(BROWSER_NAME_MAX_CHARS).meta({ example: 'Firefox on Linux' }),
    endpoint: z.url({ protocol: /^https$/ }).max(ENDPOINT_MAX_CHARS),
    p256dh: base64url(P256DH_CHARS),
    auth: base64url(AUTH_CHARS),
  }),
  answer: json(z.strictObject({ browser_id: z.uuid() })),
  reasons: ['session_needed', 'push_off', 'browser_refused', 'too_many_browsers'],
});

export const changeMyBrowser = defineRoute('changeMyBrowser POST /me/notices/push/{browser_id}', {
  ...mine,
  summary: 'Choose when a browser is notified: off, needs or morning',
  idempotency: 'natural',
  body: z.strictObject({ wants: z.enum(NOTICE_WANTS) }),
  answer: json(z.strictObject({ wants: z.enum(NOTICE_WANTS) })),
  reasons: ['session_needed', 'no_such_browser'],
});

export const forgetMyBrowser = defineRoute('forgetMyBrowser DELETE /me/notices/push/{browser_id}', {
  ...mine,
  summary: 'Stop notifying a browser',
  idempotency: 'natural',
  answer: json(z.strictObject({ forgotten: z.literal(true) })),
  reasons: ['session_needed', 'no_such_browser'],
});

const LeaveToken = z.strictObject({ token: z.string().regex(/^[\w-]{32,64}$/) });

/** Programs that read mail request it, without a session (RFC 8058). An unknown token gets the same answer. */
export const leaveMail = defineRoute('leaveMail POST /notices/leave', {
  tag: 'accounts',
  placement: 'versioned',
  audiences: ['people'],
  permission: 'anyone',
  summary: 'End the emails to one person, with the token from the header List-Unsubscribe of such an email',
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
