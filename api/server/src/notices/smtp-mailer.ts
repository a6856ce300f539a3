import { readFile } from 'node:fs/promises';
import type { MailSettings } from './mail-settings.ts';
import { NoticeRefusal } from './notice-refusal.ts';

const CONNECT_MS = 8_000;
const SILENCE_MS = 10_000;
/**
 * Time limit for a whole mail, because a server that sends a line now and then never counts as silent. Shorter than the
 * lease of a target.
 */
const MAIL_MS = 45_000;

/** An email in plain text to one person. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The address that ends these emails by one request (RFC 8058); null for an email that a person asked for. */
  readonly leaveUrl: string | null;
}

const OF_SERVER = { isOfAddress: false, isOfRecipient: false } as const;

/** Sends an email. Rejects with a NoticeRefusal if the server did not take it. */
export type Mailer = (letter: Letter, stopping?: AbortSignal) => Promise<void>;

interface SmtpFault {
  readonly code?: unknown;
  readonly responseCode?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
}

/**
 * 550 to 553 without a code of RFC 3463, or with one about the recipient. Servers answer RCPT TO also with what they have against the
 * sender (5.1.7, 5.1.8) or the village (5.7: relay, login, policy), which says nothing about the address.
 */
const OF_RECIPIENT = /^55[0-3][ -](?!5\.(?:[^12]|1\.[78]\b))/;

function refusalOf(error: unknown): NoticeRefusal {
  const { code, responseCode, command, response }: SmtpFault = Object(error);
  const answer = typeof responseCode === 'number' ? responseCode : 0;
  const isOfRecipient = command === 'RCPT TO';
  const isOfAddress = isOfRecipient && typeof response === 'string' && OF_RECIPIENT.test(response);
  const word = typeof code === 'string' && /^[A-Z0-9_]{1,32}$/.test(code) ? code : 'FAILED';
  return new NoticeRefusal(answer === 0 ? word : `${word} ${answer}`, { isOfAddress, isOfRecipient }, error);
}

/** nodemailer names the host to the server itself, unless it is an IP address, which TLS does not allow there. */
const securityOf = ({ tls }: MailSettings) => ({
  secure: tls === 'tls',
  requireTLS: tls === 'starttls',
  ignoreTLS: tls === 'none',
  tls: { minVersion: 'TLSv1.2' as const },
});

const leaveHeaders = (leaveUrl: string) => ({
  'List-Unsubscribe': { value: `<${leaveUrl}>`, prepared: true },
  'List-Unsubscribe-Post': { value: 'List-Unsubscribe=One-Click', prepared: true },
});

/** Sends emails over SMTP, each on a connection of its own. Reads the password for each, so that a changed Secret needs no restart. */
export function smtpMailer(settings: MailSettings, mailMs = MAIL_MS): Mailer {
  const { host, port, from, login } = settings;
  return async ({ to, subject, text, leaveUrl }, stopping) => {
    const limit = AbortSignal.timeout(mailMs);
    // Loaded with the first email: most villages send none.
    const { createTransport } = await import('nodemailer');
    try {
      const pass = login === null ? '' : (await readFile(login.passwordFile, 'utf8')).trim();
      const transport = createTransport({
        host,
        port,
        ...securityOf(settings),
        ...(login === null ? {} : { auth: { user: login.user, pass } }),
        connectionTimeout: CONNECT_MS,
        greetingTimeout: CONNECT_MS,
        dnsTimeout: CONNECT_MS,
        socketTimeout: SILENCE_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      await transport.sendMail({
        from: { name: 'Hamlet', address: from },
        // An object is one recipient: a list in its text stays a part of that address.
        to: { name: '', address: to },
        subject,
        text,
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(leaveUrl === null ? {} : leaveHeaders(leaveUrl)),
        },
        signal: stopping === undefined ? limit : AbortSignal.any([stopping, limit]),
      });
    } catch (error) {
      throw limit.aborted ? new NoticeRefusal('TOO_SLOW', OF_SERVER, error) : refusalOf(error);
    }
  };
}
