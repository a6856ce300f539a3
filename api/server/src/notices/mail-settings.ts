import { z } from 'zod';

const FROM_MAX_CHARS = 254;

export const MAIL_ENVIRONMENT = {
  HAMLET_MAIL_HOST: z.string().max(253).optional().describe('host of the mail server (SMTP); none: no email is sent'),
  HAMLET_MAIL_PORT: z.coerce.number().int().min(1).max(65_535).default(587).describe('its port (587)'),
  HAMLET_MAIL_TLS: z
    .enum(['starttls', 'tls', 'none'])
    .default('starttls')
    .describe(
      'starttls or tls, both with a checked certificate; none only for a server inside of the cluster (starttls)',
    ),
  HAMLET_MAIL_FROM: z.email().max(FROM_MAX_CHARS).optional().describe('address of the sender'),
  HAMLET_MAIL_USER: z.string().max(254).optional().describe('user name at the mail server'),
  HAMLET_MAIL_PASSWORD_FILE: z.string().optional().describe('file with the password of HAMLET_MAIL_USER'),
} as const;

type Variables = z.infer<z.ZodObject<typeof MAIL_ENVIRONMENT>>;

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: 'starttls' | 'tls' | 'none';
  readonly from: string;
  /** Null if the server asks for no password. */
  readonly login: { readonly user: string; readonly passwordFile: string } | null;
  /** The origin of the village, for links. */
  readonly publicUrl: URL;
}

/** The settings of mail; undefined if no server is configured. Throws an Error that names a missing variable. */
export function mailSettingsOf(
  env: Variables & { readonly HAMLET_PUBLIC_URL?: URL | undefined },
): MailSettings | undefined {
  const { HAMLET_MAIL_HOST: host, HAMLET_MAIL_FROM: from, HAMLET_MAIL_USER: user, HAMLET_PUBLIC_URL: publicUrl } = env;
  const { HAMLET_MAIL_PASSWORD_FILE: passwordFile, HAMLET_MAIL_PORT: port, HAMLET_MAIL_TLS: tls } = env;
  if (host === undefined) return undefined;
  if (from === undefined) throw new Error('HAMLET_MAIL_FROM: write the address of the sender');
  if (publicUrl === undefined)
    throw new Error(
      'HAMLET_PUBLIC_URL: write the origin of the village for the links in emails, for example https://village.example',
    );
  if ((user === undefined) !== (passwordFile === undefined))
    throw new Error('HAMLET_MAIL_USER and HAMLET_MAIL_PASSWORD_FILE: set both, or neither');
  const login = user === undefined || passwordFile === undefined ? null : { user, passwordFile };
  return { host, port, tls, from, login, publicUrl };
}
