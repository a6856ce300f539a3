import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { deny, type Destination, type EgressDenial } from '@hamlet/core/egress';
import type { Admissions } from '../admissions.ts';
import type { AttemptLog } from '../attempt-log.ts';
import type { Connections } from '../connections.ts';
import { readIdentity, type Identity } from '../identity.ts';
import type { Admission, Attempt, AttemptEnd, EgressForm } from '../village.ts';

/** An admitted agent behind one connection, with what its program says about run and call. */
export interface Caller {
  readonly admission: Admission;
  readonly identity: Identity;
}

const NO_IDENTITY = deny(
  'egress_identity_refused',
  'the proxy needs the token of an agent; programs in a pod use the proxy of the resident, which adds it',
);
const TOO_MANY = deny('egress_too_many', 'this agent has too many open connections; close some and try again');
const NOT_ADMITTED = deny(
  'egress_log_unavailable',
  'the broker cannot ask the API about this agent; try again in a minute',
);

/** Finds out which agent is behind a connection, and counts the connection among its own. */
export async function admit(
  parts: { readonly admissions: Admissions; readonly connections: Connections },
  headers: IncomingHttpHeaders,
  socket: Duplex,
): Promise<Caller | EgressDenial> {
  const identity = readIdentity(headers);
  if (identity === null) return NO_IDENTITY;
  const admission = await parts.admissions.admit(identity.token).catch(() => NOT_ADMITTED);
  if ('verdict' in admission) return admission;
  return parts.connections.add(admission.uid, socket) ? { admission, identity } : TOO_MANY;
}

/** The recorded parts of an attempt beside the caller and the time. */
export interface AttemptFacts {
  readonly form: EgressForm;
  readonly destination: Destination;
  readonly method: string | null;
  readonly path: string | null;
}

/** Writes the attempts of callers into the log, each with an id and an end. */
export class Recorder {
  readonly #log: AttemptLog;
  readonly #now: () => number;
  readonly #newId: () => string;

  constructor(log: AttemptLog, clock: { readonly now: () => number; readonly newId: () => string }) {
    this.#log = log;
    this.#now = clock.now;
    this.#newId = clock.newId;
  }

  /** Records an attempt that the broker refuses. The answer does not wait for it. */
  refused(caller: Caller, facts: AttemptFacts, denial: EgressDenial): void {
    void this.#log.begin(this.#attempt(caller, facts, { id: this.#newId(), denial }));
  }

  /** Records an attempt before it goes out. A permitted write has its id already. */
  async begin(caller: Caller, facts: AttemptFacts, id = this.#newId()): Promise<OpenAttempt | EgressDenial> {
    const attempt = this.#attempt(caller, facts, { id, denial: null });
    const denial = await this.#log.begin(attempt);
    return denial ?? new OpenAttempt(attempt, (end) => this.#log.end(end), this.#now);
  }

  #attempt(
    { admission, identity }: Caller,
    facts: AttemptFacts,
    { id, denial }: { readonly id: string; readonly denial: EgressDenial | null },
  ): Attempt {
    const { form, destination, method, path } = facts;
    const { agent, uid, cycle } = admission;
    const { run, call } = identity;
    const refused = denial?.code ?? null;
    return {
      id,
      agent,
      uid,
      cycle,
      run,
      call,
      form,
      ...destination,
      method,
      path,
      refused,
      at: this.#now(),
    };
  }
}

/** An attempt that is out, until its first end. */
export class OpenAttempt {
  readonly #attempt: Attempt;
  readonly #keep: (end: AttemptEnd) => void;
  readonly #now: () => number;
  #isOpen = true;
  address: string | null = null;
  status: number | null = null;
  sentBytes = 0;
  receivedBytes = 0;

  constructor(attempt: Attempt, keep: (end: AttemptEnd) => void, now: () => number) {
    this.#attempt = attempt;
    this.#keep = keep;
    this.#now = now;
  }

  end(denial: EgressDenial | null): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { address, status, sentBytes, receivedBytes } = this;
    const durationMs = this.#now() - this.#attempt.at;
    this.#keep({
      id: this.#attempt.id,
      address,
      status,
      sentBytes,
      receivedBytes,
      refused: denial?.code ?? null,
      durationMs,
    });
  }
}
