import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { deny, type Destination, type EgressDenial } from '@hamlet/core/egress';
import type { Admissions } from '../admissions.ts';
import type { AttemptLog } from '../attempt-log.ts';
import type { Connections } from '../connections.ts';
import { readIdentity, type Identity } from '../identity.ts';
import type { Admission, AdmissionDenial, Attempt, AttemptEnd, EgressForm, Life } from '../village.ts';

/** The agent behind a connection, with the run and call that its program claims. */
export interface Known {
  readonly admission: Life;
  readonly identity: Identity;
}

export interface Caller extends Known {
  readonly admission: Admission;
}

/** A refused request; `by` is null if the broker does not know the agent. */
export interface Unadmitted {
  readonly denial: EgressDenial;
  readonly by: Known | null;
}

const NO_IDENTITY = deny(
  'egress_identity_refused',
  'the proxy needs the token of an agent; programs in a pod use the proxy of the resident, which adds it',
);
export const TOO_MANY = deny('egress_too_many', 'this agent has too many open connections; close some and try again');
const NOT_ADMITTED = deny(
  'egress_log_unavailable',
  'the broker cannot ask the API about this agent; try again in a minute',
);

/** Identifies the agent behind a connection, and counts the connection. */
export async function admit(
  parts: { readonly admissions: Admissions; readonly connections: Connections },
  headers: IncomingHttpHeaders,
  socket: Duplex,
): Promise<Caller | Unadmitted> {
  const identity = readIdentity(headers);
  if (identity === null) return { denial: NO_IDENTITY, by: null };
  const caller = await admitIdentity(parts.admissions, identity);
  if ('denial' in caller) return caller;
  return parts.connections.add(caller.admission.uid, socket) ? caller : { denial: TOO_MANY, by: caller };
}

/** Asks whether the agent behind a token may leave now, by its present rules. */
export async function admitIdentity(admissions: Admissions, identity: Identity): Promise<Caller | Unadmitted> {
  const admission = await admissions.admit(identity.token).catch((): AdmissionDenial => NOT_ADMITTED);
  if (!('verdict' in admission)) return { admission, identity };
  const { life } = admission;
  return { denial: admission, by: life === undefined ? null : { admission: life, identity } };
}

export const knownOf = (admitted: Caller | Unadmitted): Known | null => ('denial' in admitted ? admitted.by : admitted);

export interface AttemptFacts {
  readonly form: EgressForm;
  readonly destination: Destination;
  readonly method: string | null;
  readonly path: string | null;
  readonly isOfProposals?: boolean | undefined;
}

/** Writes attempts into the log, each with an id and an end. */
export class Recorder {
  readonly #log: AttemptLog;
  readonly #open = new Map<string, Set<OpenAttempt>>();
  readonly #now: () => number;
  readonly #newId: () => string;

  constructor(log: AttemptLog, clock: { readonly now: () => number; readonly newId: () => string }) {
    this.#log = log;
    this.#now = clock.now;
    this.#newId = clock.newId;
  }

  /** Records a refused attempt of a known life. The answer does not wait for the record. */
  refused(known: Known | null, facts: AttemptFacts, denial: EgressDenial): void {
    if (known !== null) this.#log.refuse(this.#attempt(known, facts, { id: this.#newId(), denial }));
  }

  /** Records an attempt before it goes out. A permitted write already has an id. */
  async begin(caller: Caller, facts: AttemptFacts, id = this.#newId()): Promise<OpenAttempt | EgressDenial> {
    const attempt = this.#attempt(caller, facts, { id, denial: null });
    const denial = await this.#log.begin(attempt);
    return denial ?? this.#opened(attempt);
  }

  /** Ends all open attempts of a life with this reason. The caller ends their connections. */
  cutOff(uid: string, denial: EgressDenial): void {
    for (const attempt of this.#open.get(uid) ?? []) attempt.end(denial);
  }

  #opened(attempt: Attempt): OpenAttempt {
    const { uid } = attempt;
    const own = this.#open.get(uid) ?? new Set<OpenAttempt>();
    this.#open.set(uid, own);
    const opened = new OpenAttempt(attempt, {
      now: this.#now,
      keep: (end) => {
        own.delete(opened);
        if (own.size === 0 && this.#open.get(uid) === own) this.#open.delete(uid);
        this.#log.end(end);
      },
    });
    own.add(opened);
    return opened;
  }

  #attempt(
    { admission, identity }: Known,
    facts: AttemptFacts,
    { id, denial }: { readonly id: string; readonly denial: EgressDenial | null },
  ): Attempt {
    const { form, destination, method, path, isOfProposals = false } = facts;
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
      ...(isOfProposals ? { proposals: true } : {}),
      at: this.#now(),
    };
  }
}

/** An attempt that went out. Its first end counts. */
export class OpenAttempt {
  readonly #attempt: Attempt;
  readonly #keep: (end: AttemptEnd) => void;
  readonly #now: () => number;
  #isOpen = true;
  address: string | null = null;
  status: number | null = null;
  sentBytes = 0;
  receivedBytes = 0;

  constructor(attempt: Attempt, by: { readonly keep: (end: AttemptEnd) => void; readonly now: () => number }) {
    this.#attempt = attempt;
    this.#keep = by.keep;
    this.#now = by.now;
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
