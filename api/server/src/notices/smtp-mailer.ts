import { readFile } from 'node:fs/promises';
import type { MailSettings } from './mail-settings.ts';

const CONNECT_MS = 8_000;
const SILENCE_MS = 10_000;

/** A mail in plain text to one person. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The address that ends these mails by one request (RFC 8058); null for a mail that a person asked for. */
  readonly leaveUrl: string | null;
}

/** A mail server did not take a mail. `isOfAddress`: it refuses this address permanently; other mails may pass. */
export class MailRefusal extends Error {
  override readonly name = 'MailRefusal';
  readonly code: string;
  readonly isOfAddress: boolean;

  constructor(code: string, isOfAddress: boolean, cause: unknown) {
    super(`the mail server did not take a mail (${code})`, { cause });
    this.code = code;
    this.isOfAddress = isOfAddress;
  }
}

/** Sends a mail. Rejects with a MailRefusal if the server did not take it. */
export type Mailer = (letter: Letter, stopping?: AbortSignal) => Promise<void>;

interface SmtpFault {
  readonly code?: unknown;
  readonly responseCode?: unknown;
}

/** 550 to 553 after RCPT TO: no such mailbox, no relay to it, or a name that the server forbids. */
function refusalOf(error: unknown): MailRefusal {
  const { code, responseCode }: SmtpFault = Object(error);
  const answer = typeof responseCode === 'number' ? responseCode : 0;
  const isOfAddress = code === 'EENVELOPE' && answer >= 550 && answer <= 553;
  const word = typeof code === 'string' && /^[A-Z0-9_]{1,32}$/.test(code) ? code : 'FAILED';
  return new MailRefusal(answer === 0 ? word : `${word} ${answer}`, isOfAddress, error);
}

const securityOf = ({ tls, host }: MailSettings) => ({
  secure: tls === 'tls',
  requireTLS: tls === 'starttls',
  ignoreTLS: tls === 'none',
  tls: { servername: host, minVersion: 'TLSv1.2' as const },
});

const leaveHeaders = (leaveUrl: string) => ({
  'List-Unsubscribe': { value: `<${leaveUrl}>`, prepared: true },
  'List-Unsubscribe-Post': { value: 'List-Unsubscribe=One-Click', prepared: true },
});

/** Sends mails over SMTP, each on a connection of its own. Reads the password for each, so that a changed Secret needs no restart. */
export function smtpMailer(settings: MailSettings): Mailer {
  const { host, port, from, login } = settings;
  return async ({ to, subject, text, leaveUrl }, stopping) => {
    // Loaded with the first mail: most villages send none.
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
        ...(stopping === undefined ? {} : { signal: stopping }),
      });
    } catch (error) {
      throw refusalOf(error);
    }
  };
}
