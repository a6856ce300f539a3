/** The prefix binds the cookie to this host, https (or localhost) and the path /; browsers enforce it. */
const NAME = '__Host-hamlet_session';
const ATTEMPT_NAME = '__Host-hamlet_sign_in';

export const SESSION_MAX_MS = 7 * 24 * 3_600_000;
export const SESSION_IDLE_MS = 24 * 3_600_000;

function cookieNamed(name: string, cookieHeader: string | undefined): string | null {
  for (const part of (cookieHeader ?? '').split(';')) {
    const [each, value] = part.trim().split('=', 2);
    if (each === name && value !== undefined && value !== '') return value;
  }
  return null;
}

function cookieOf(name: string, value: string, maxAgeMs: number): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeMs / 1_000}; Secure; HttpOnly; SameSite=Lax`;
}

export const sessionOf = (cookieHeader: string | undefined): string | null => cookieNamed(NAME, cookieHeader);

export const sessionCookie = (id: string): string => cookieOf(NAME, id, SESSION_MAX_MS);

export const endedSessionCookie = (): string => cookieOf(NAME, '', 0);

/** Lax, because the browser must send the cookie when the provider redirects back. */
export const attemptCookie = (id: string, lifeMs: number): string => cookieOf(ATTEMPT_NAME, id, lifeMs);

export const attemptOf = (cookieHeader: string | undefined): string | null => cookieNamed(ATTEMPT_NAME, cookieHeader);

export const endedAttemptCookie = (): string => cookieOf(ATTEMPT_NAME, '', 0);
