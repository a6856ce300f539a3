import type { EgressPolicy, EgressRefusalCode, EgressWriteKind } from '@hamlet/contract';
import type { EgressDenial } from '@hamlet/core/egress';

/** A life of an agent, as the API knows it at a token. */
export interface Life {
  readonly agent: string;
  /** The life and the pod: a brake names them, and connections of different lives never share anything. */
  readonly uid: string;
  readonly cycle: number;
}

/** A life and the ways out that it has now. */
export interface Admission extends Life {
  readonly policy: EgressPolicy;
}

/** The API does not admit a token. It names the life behind it where there is one, so that its attempts are recorded. */
export interface AdmissionDenial extends EgressDenial {
  readonly life?: Life | undefined;
}

/** How a program left the pod: unread bytes, or requests that the broker reads, with TLS or without. */
export type EgressForm = 'tunnel' | 'inspect' | 'plain';

export interface Attempt {
  readonly id: string;
  readonly agent: string;
  readonly uid: string;
  readonly cycle: number;
  /** The run and call that the pod names: a claim, which the API checks. */
  readonly run: string | null;
  readonly call: string | null;
  readonly form: EgressForm;
  readonly host: string;
  readonly port: number;
  readonly method: string | null;
  /** Path without its query, which may carry texts that do not belong in an audit. */
  readonly path: string | null;
  /** Null where the broker lets it out. */
  readonly refused: EgressRefusalCode | null;
  readonly at: number;
}

export interface AttemptEnd {
  readonly id: string;
  /** The address that it reached, or null. */
  readonly address: string | null;
  readonly status: number | null;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly refused: EgressRefusalCode | null;
  readonly durationMs: number;
}

/** A write of a program in a pod that waits until the API lets it out. */
export interface PermissionAsk {
  /** UUID of this write, and of its attempt once it goes out. */
  readonly ask: string;
  readonly admission: Admission;
  /** The run and call that the pod names. Without a live run the API denies. */
  readonly run: string | null;
  readonly call: string | null;
  readonly kind: EgressWriteKind;
  /** True where the rule that opens the way says that its writes need no person. */
  readonly isAllowedByRule: boolean;
  /** One line for the person. The agent wrote parts of it. */
  readonly summary: string;
  /** The references that a push changes, a line for each. */
  readonly changes: readonly string[];
  readonly body: string | null;
  readonly bytes: number | null;
  /** The hash of all that the permission is for: the same write has the same hash. Null where the broker has not read the body. */
  readonly sha256: string | null;
}

/** The API cannot read a fact of a group: sent again, the group would be refused again. */
export class Unreadable extends Error {}

/** The broker's port to the API, which knows agents, keeps attempts, and has the secrets. */
export interface Village {
  admit(token: string): Promise<Admission | AdmissionDenial>;
  /** Resolves once the attempts are kept: the broker lets nothing out before. Rejects with `Unreadable`, or if the API is away. */
  begin(attempts: readonly Attempt[]): Promise<void>;
  end(ends: readonly AttemptEnd[]): Promise<void>;
  /** The value of a secret that a rule of this admission names, or null where it is gone. */
  secret(admission: Admission, name: string): Promise<string | null>;
  /** Waits until the API lets a write out or denies it, after a person's answer where one is needed. Rejects where the program is gone. */
  permit(ask: PermissionAsk, signal: AbortSignal): Promise<'allowed' | EgressDenial>;
  /** Nothing of this write is sent. Never rejects. */
  withdraw(ask: PermissionAsk): Promise<void>;
  /**
   * Calls back when the connections of a life must end: an admin has stopped it or it is over (`isBraked`), or its rules have
   * changed or cannot be known. Returns the end of the subscription.
   */
  onStopped(listener: (uid: string, isBraked: boolean) => void): () => void;
}
