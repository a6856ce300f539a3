import type { ColumnType, Generated } from 'kysely';

type Defaulted<T> = ColumnType<T, T | undefined, T>;

/** Tables of sessions, the conversations of people with an agent. */
export interface SessionTables {
  session: {
    session_id: Generated<string>;
    agent_id: string;
    title: string | null;
    repository_url: string | null;
    repository_branch: string | null;
    created_by_role: string;
    created_by_id: string;
    created_at: Generated<Date>;
    last_at: Defaulted<Date>;
    paused_at: Defaulted<Date | null>;
    terminated_at: Defaulted<Date | null>;
    forgotten_at: Defaulted<Date | null>;
    messages: Defaulted<number>;
    events: Defaulted<number>;
  };
  session_person: { session_id: string; person_id: string; name: string; added_at: Generated<Date> };
  session_message: {
    message_id: Generated<string>;
    session_id: string;
    number: number;
    author_role: 'member' | 'admin' | 'agent' | 'system';
    author_id: string;
    author_name: string;
    text: string;
    at: Generated<Date>;
    run_id: string | null;
    state: 'queued' | 'working' | 'answered' | 'failed' | 'cancelled';
    in_reply_to: Defaulted<string | null>;
    cost_micros: Defaulted<number | null>;
    steps: Defaulted<number | null>;
    forgotten_at: Defaulted<Date | null>;
    progress: Defaulted<boolean>;
    version: Defaulted<number>;
    revised_at: Defaulted<Date | null>;
  };
  session_event: {
    session_id: string;
    number: number;
    kind: 'session' | 'message' | 'run_event' | 'permission';
    object_id: string;
    run_event: number | null;
  };
  session_look: { session_id: string; admin_id: string; looked_at: Generated<Date> };
  idle_sleep: { agent_id: string; agent_uid: string; since: Generated<Date> };
}
