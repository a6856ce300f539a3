/** The prefix binds the cookie to this host, https (or localhost) and the path /; browsers enforce it. */
const NAME = '__Host-hamlet_session';

export const SESSION_MAX_MS = 7 * 24 * 3_600_000;
export const SESSION_IDLE_MS = 24 * 3_600_000;

/** The session id a browser sends; null where it sends none. */
export function sessionOf(cookieHeader: string | undefined): string | null {
  for (const part of (cookieHeader ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === NAME && value !== undefined && value !== '') return value;
  }
  return null;
}

export function sessionCookie(id: string): string {
  return `${NAME}=${id}; Path=/; Max-Age=${SESSION_MAX_MS / 1_000}; Secure; HttpOnly; SameSite=Lax`;
}

export function endedSessionCookie(): string {
  return `${NAME}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`;
}
