import type { EgressPolicy, EgressRefusalCode, EgressWriteKind } from '@hamlet/contract';
import type { Destination, EgressDenial } from '@hamlet/core/egress';

/** The life of the agent that owns a token. */
export interface Life {
  readonly agent: string;
  /** Identifies the life and its pod. Brakes name it, and each life has connections of its own. */
  readonly uid: string;
  readonly cycle: number;
}

/** A life and its present rules. */
export interface Admission extends Life {
  readonly policy: EgressPolicy;
}

/** The API's refusal of a token. It names the life, if there is one, so that the broker records the attempts. */
export interface AdmissionDenial extends EgressDenial {
  readonly life?: Life | undefined;
}

/** `tunnel`: bytes that the broker passes on unread. `inspect`, `plain`: requests that it reads, with and without TLS. */
export type EgressForm = 'tunnel' | 'inspect' | 'plain';

export interface Attempt {
  readonly id: string;
  readonly agent: string;
  readonly uid: string;
  readonly cycle: number;
  /** The run and call that the pod claims; the API checks them. */
  readonly run: string | null;
  readonly call: string | null;
  readonly form: EgressForm;
  readonly host: string;
  readonly port: number;
  readonly method: string | null;
  /** Path without its query, which may contain private texts. */
  readonly path: string | null;
  /** Present for a git fetch of proposals, which strangers may make. */
  readonly proposals?: true;
  /** Null if the broker lets it out. */
  readonly refused: EgressRefusalCode | null;
  readonly at: number;
}

export interface AttemptEnd {
  readonly id: string;
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
  /** The run and call that the pod claims. Without a live run the API denies. */
  readonly run: string | null;
  readonly call: string | null;
  readonly kind: EgressWriteKind;
  /** True if the rule allows writes without a person's decision. */
  readonly isAllowedByRule: boolean;
  /** One line for the person, with parts that the agent wrote. */
  readonly summary: string;
  /** The references that a push changes, one per line. */
  readonly changes: readonly string[];
  /** Push options and unusual headers, one per line. */
  readonly details: readonly string[];
  readonly body: string | null;
  readonly bytes: number | null;
  /** The hash of everything that the permission covers. Null if the broker has not read the body. */
  readonly sha256: string | null;
}

/** A host that no rule opens, with the first request to it. */
export interface HostAsk {
  readonly admission: Admission;
  /** The run and call that the pod claims. */
  readonly run: string;
  readonly call: string | null;
  readonly destination: Destination;
  readonly summary: string;
}

/** The secret of a rule, and the host that would receive it. */
export interface SecretUse {
  readonly name: string;
  readonly host: string;
}

/** The API cannot read a fact of a group, so a retry of the whole group would fail too. */
export class Unreadable extends Error {}

/** The broker's port to the API, which identifies agents, stores attempts and has the secrets. */
export interface Village {
  admit(token: string): Promise<Admission | AdmissionDenial>;
  /** Resolves once the attempts are stored: the broker sends nothing before. Rejects with `Unreadable`, or if the API is down. */
  begin(attempts: readonly Attempt[]): Promise<void>;
  end(ends: readonly AttemptEnd[]): Promise<void>;
  /** The value of a secret that a rule of this admission names, if its owner allows the host. */
  secret(admission: Admission, use: SecretUse): Promise<string | EgressDenial>;
  /** Waits until the API permits or denies a write, after a person's decision if one is needed. Rejects if the program hangs up. */
  permit(ask: PermissionAsk, signal: AbortSignal): Promise<'allowed' | EgressDenial>;
  /**
   * Asks an admin to open a host to a run, and waits two minutes for the answer. The request stays open after that.
   * Rejects if the program hangs up, or if the API does not answer.
   */
  permitHost(ask: HostAsk, signal: AbortSignal): Promise<'allowed' | EgressDenial>;
  /** Reports that the broker will not send this write. Never rejects. */
  withdraw(ask: PermissionAsk): Promise<void>;
  /**
   * Calls back when the connections of a life must end: an admin has stopped it or it has ended (`isBraked`), or its
   * rules have changed or are unknown. Returns a function that unsubscribes.
   */
  onStopped(listener: (uid: string, isBraked: boolean) => void): () => void;
}
