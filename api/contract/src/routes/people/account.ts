import { z } from 'zod';
import { json } from '../../http/route.ts';
import { Time } from '../../values/scalars.ts';
import { MEASURE_REASON_MAX } from '../../values/standing.ts';

export const PASSWORD_MIN_CHARS = 12;
const PASSWORD_MAX_CHARS = 256;
const CODE_MAX_CHARS = 256;

export const AccountName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}._@ -]+$/u, 'write only letters, digits, spaces and . _ @ -');
export const NewPassword = z.string().min(PASSWORD_MIN_CHARS).max(PASSWORD_MAX_CHARS);
/** Only the length is checked here. */
export const GivenPassword = z.string().min(1).max(PASSWORD_MAX_CHARS);
/** Creates the first admin, or sets a password after an invitation or a reset. Only the length is checked here. */
export const OneTimeCode = z.string().min(1).max(CODE_MAX_CHARS);
export const AdminReason = z.string().trim().min(1).max(MEASURE_REASON_MAX);

/** Begins the one-time codes of accounts; the code of the first start has another form. */
export const ACCOUNT_CODE_PREFIX = 'hic_';

/** A visitor has no account. */
export const ACCOUNT_ROLES = ['member', 'admin'] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

export const Account = z.strictObject({
  account_id: z.string(),
  name: z.string(),
  role: z.enum(ACCOUNT_ROLES),
  created_at: Time,
});
export type Account = z.infer<typeof Account>;

export const AccountBan = z.strictObject({
  reason: z.string(),
  by: z.strictObject({ role: z.string(), id: z.string() }),
  since: Time,
  expires_at: Time.nullable().describe('End; null lasts until it is lifted'),
});

export const AccountDetail = Account.extend({
  signs_in_by: z.enum(['password', 'oidc']),
  pending: z.boolean().describe('True if no password is set and a one-time code is needed'),
  disabled_at: Time.nullable(),
  ban: AccountBan.nullable(),
  last_seen_at: Time.nullable().describe('Last use of its sessions, to the minute'),
  sessions: z.int().min(0).describe('Number of open sessions'),
  keys: z.int().min(0).default(0).describe('Number of API keys that have not expired'),
  messengers: z.int().min(0).default(0).describe('Number of linked messengers'),
});
export type AccountDetail = z.infer<typeof AccountDetail>;

/** Only this answer contains it. */
export const CodeGrant = z.strictObject({ code: z.string(), expires_at: Time });
export type CodeGrant = z.infer<typeof CodeGrant>;

export const SIGN_INS = ['password', 'code', 'oidc', 'bootstrap'] as const;
export type SignInBy = (typeof SIGN_INS)[number];

/** A session of a person. `session_id` is not a credential. */
export const Session = z.strictObject({
  session_id: z.uuid(),
  signed_in_by: z.enum(SIGN_INS),
  address: z.string().nullable(),
  user_agent: z.string().nullable(),
  created_at: Time,
  seen_at: Time.describe('Last use, to the minute'),
  expires_at: Time,
  current: z.boolean().describe('True for the session of this request'),
});
export type Session = z.infer<typeof Session>;

export const SessionList = z.strictObject({ sessions: z.array(Session) });
export const EndedSessions = z.strictObject({
  ended: z.int().min(0).describe('Number of ended sessions'),
});

export const ofPeople = { tag: 'accounts', placement: 'versioned', audiences: ['people'] } as const;
export const SignedIn = json(z.strictObject({ account: Account }));
