import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Log } from '../process/json-log.ts';

/** Maximum number of conversations whose session is kept, the newest ones. */
const SESSIONS_MAX = 500;
const SESSION_MAX_CHARS = 4_096;

/** A session that a program keeps for a conversation. `preamble`: hash of what it knows about its agent. */
const Session = z.strictObject({
  conversation: z.string(),
  program: z.string(),
  session: z.string().max(SESSION_MAX_CHARS),
  preamble: z.string(),
});
export type KeptSession = Readonly<z.infer<typeof Session>>;

const Kept = z.strictObject({ sessions: z.array(Session).max(SESSIONS_MAX) });

/** The sessions of programs by conversation, in a file of the resident's volume. */
export interface SessionBook {
  find(conversation: string, program: string): KeptSession | null;
  /** Keeps the session of a conversation. If the file cannot be written, the next process begins a new session. */
  keep(session: KeptSession): void;
}

export function openSessionBook(path: string, log: Pick<Log, 'warn'>): SessionBook {
  let sessions = sessionsIn(path);
  return {
    find: (conversation, program) =>
      sessions.find((each) => each.conversation === conversation && each.program === program) ?? null,
    keep: (session) => {
      const others = sessions.filter(({ conversation }) => conversation !== session.conversation);
      sessions = [session, ...others].slice(0, SESSIONS_MAX);
      if (session.session.length > SESSION_MAX_CHARS) return;
      try {
        writeFileSync(`${path}.new`, JSON.stringify({ sessions }));
        renameSync(`${path}.new`, path);
      } catch (error) {
        log.warn('sessions_not_kept', { why: String(error) });
      }
    },
  };
}

/** A file that is absent or damaged has no sessions. */
function sessionsIn(path: string): readonly KeptSession[] {
  try {
    return Kept.parse(JSON.parse(readFileSync(path, 'utf8'))).sessions;
  } catch {
    return [];
  }
}
