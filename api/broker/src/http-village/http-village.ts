import { setTimeout as delay } from 'node:timers/promises';
import type { EgressAttempt, EgressEnd, EgressPermitted, EgressWrite } from '@hamlet/contract/broker';
import {
  admitEgress,
  createClient,
  EGRESS_CHANGE_MAX_CHARS,
  EGRESS_CHANGES_MAX,
  EGRESS_HOST_HELD_S,
  EGRESS_HOST_MAX_CHARS,
  EGRESS_PATH_MAX_CHARS,
  EGRESS_WAIT_MAX_MS,
  keepEgressAttempts,
  permitEgress,
  permitEgressHost,
  ProblemError,
  readEgressSecret,
  withdrawEgress,
} from '@hamlet/contract/broker';
import { deny, type Destination, type EgressDenial } from '@hamlet/core/egress';
import { keepEnds } from '../proxy/shown-text.ts';
import { noSecret, notForHost } from '../secrets/put-secret.ts';
import type {
  Admission,
  AdmissionDenial,
  Attempt,
  AttemptEnd,
  HostAsk,
  PermissionAsk,
  SecretUse,
  Village,
} from '../village.ts';
import { Unreadable } from '../village.ts';
import { Stops } from '../stops.ts';
import { BrakeStream } from './brake-stream.ts';
import { RefusedHosts } from './refused-hosts.ts';

/** Timeout of one request to the API in milliseconds: a program waits for it. */
const ANSWER_MS = 5_000;
/** Pauses between retries. All requests are idempotent. */
const RETRY_MS: readonly number[] = [100, 400];

/** An API that restarts answers within this time. */
const SILENT_MS = 60_000;
const PERMIT_RETRY_MS = 500;

const stillAsked = ({ host, port }: Destination): EgressDenial =>
  deny(
    'egress_not_allowed',
    `no rule of this agent allows ${host}:${port}; an admin has been asked to open it and may still answer: continue with other work, and try again later`,
  );

type ApiClient = ReturnType<typeof createClient>;

export interface HttpVillageOptions {
  readonly baseUrl: string;
  /** Reads the broker's present token for the API. */
  readonly token: () => Promise<string>;
  readonly onError: (error: unknown) => void;
}

const wireAttempt = ({ host, path, at, ...rest }: Attempt): EgressAttempt => ({
  ...rest,
  host: host.slice(0, EGRESS_HOST_MAX_CHARS),
  path: path?.slice(0, EGRESS_PATH_MAX_CHARS) ?? null,
  at: new Date(at).toISOString(),
});

const wireEnd = ({ sentBytes, receivedBytes, durationMs, ...rest }: AttemptEnd): EgressEnd => ({
  ...rest,
  sent_bytes: sentBytes,
  received_bytes: receivedBytes,
  duration_ms: Math.max(0, Math.round(durationMs)),
});

function bounded(lines: readonly string[]): string[] {
  const shown = lines.length <= EGRESS_CHANGES_MAX ? lines : lines.slice(0, EGRESS_CHANGES_MAX - 1);
  const rest = lines.length - shown.length;
  return [...shown, ...(rest === 0 ? [] : [`and ${rest} more`])].map((line) => keepEnds(line, EGRESS_CHANGE_MAX_CHARS));
}

const wireWrite = ({ admission, isAllowedByRule, changes, details, ...rest }: PermissionAsk): EgressWrite => ({
  ...rest,
  changes: bounded(changes),
  details: bounded(details),
  uid: admission.uid,
  cycle: admission.cycle,
  rules: admission.policy.version,
  by_rule: isAllowedByRule,
});

/** The API as the broker needs it: admissions, the record of attempts, secrets, and the stream of brakes. */
export class HttpVillage implements Village {
  readonly #client: ApiClient;
  readonly #brakes: BrakeStream;
  readonly #stops = new Stops();
  readonly #refusedHosts = new RefusedHosts(() => performance.now());
  /** Attempts that the API has stored, by the code of their refusal. */
  readonly kept = new Map<string, number>();

  constructor({ baseUrl, token, onError }: HttpVillageOptions) {
    this.#client = createClient({ baseUrl, token });
    this.#brakes = new BrakeStream({ client: this.#client, onError, stops: this.#stops });
  }

  start(): void {
    this.#brakes.start();
  }

  stop(): Promise<void> {
    return this.#brakes.stop();
  }

  get problem(): string | undefined {
    return this.#brakes.isCut ? 'the stream of brakes from the API is down' : undefined;
  }

  /**
   * Rejects while the stream of brakes is down: the broker could not end the new connection. Denies a life that the
   * stream has stopped while the answer was on its way.
   */
  admit(token: string): Promise<Admission | AdmissionDenial> {
    return this.#stops.during(async () => {
      this.#requireStream();
      const answer = await this.#admitted(token);
      if ('verdict' in answer) return answer;
      // The stream may have reported newer rules while the answer was on its way.
      const latest = this.#brakes.isStale(answer) ? await this.#admitted(token) : answer;
      this.#requireStream();
      if ('uid' in latest) this.#brakes.admitted(latest);
      return latest;
    });
  }

  #requireStream(): void {
    if (this.problem !== undefined) throw new Error(this.problem);
  }

  async begin(attempts: readonly Attempt[]): Promise<void> {
    await this.#keep({ begin: attempts.map(wireAttempt), end: [] });
    for (const { refused } of attempts) {
      const code = refused ?? 'none';
      this.kept.set(code, (this.kept.get(code) ?? 0) + 1);
    }
  }

  async end(ends: readonly AttemptEnd[]): Promise<void> {
    await this.#keep({ begin: [], end: ends.map(wireEnd) });
  }

  async secret({ uid }: Admission, { name, host }: SecretUse): Promise<string | EgressDenial> {
    const body = { uid, name, host };
    const { value, for_host } = await this.#post(() => this.#client.call(readEgressSecret, withLimit(body)));
    if (for_host === false) return notForHost({ name, host });
    return value ?? noSecret(name);
  }

  async permit(ask: PermissionAsk, signal: AbortSignal): Promise<'allowed' | EgressDenial> {
    const body = { ...wireWrite(ask), wait_ms: EGRESS_WAIT_MAX_MS };
    const answer = await this.#decided((limit) => this.#client.call(permitEgress, { body, signal: limit }), signal);
    if (answer !== null) return answer;
    await this.withdraw(ask);
    throw new Error('the API did not answer the permission request');
  }

  async permitHost(ask: HostAsk, signal: AbortSignal): Promise<'allowed' | EgressDenial> {
    const refused = this.#refusedHosts.of(ask);
    if (refused !== null) return refused;
    const { admission, run, call, destination, summary } = ask;
    const { uid, cycle, policy } = admission;
    const body = { uid, cycle, run, call, ...destination, summary, rules: policy.version, wait_ms: EGRESS_WAIT_MAX_MS };
    const held = AbortSignal.any([signal, AbortSignal.timeout(EGRESS_HOST_HELD_S * 1_000)]);
    const answer = await this.#decided((limit) => this.#client.call(permitEgressHost, { body, signal: limit }), held);
    if (answer !== null && answer !== 'allowed') this.#refusedHosts.note(ask, answer);
    if (answer !== null) return answer;
    if (held.aborted && !signal.aborted) return stillAsked(destination);
    throw new Error('the API did not answer the request for a host');
  }

  /**
   * Repeats a long poll until the API decides. Null if `signal` aborts, if the API refuses the request, or if it does not
   * answer for a minute.
   */
  async #decided(
    send: (signal: AbortSignal) => Promise<Answered<EgressPermitted>>,
    signal: AbortSignal,
  ): Promise<'allowed' | EgressDenial | null> {
    for (let receivedAt = performance.now(); !signal.aborted;) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(EGRESS_WAIT_MAX_MS + ANSWER_MS)]);
      const outcome = await send(limit).catch(() => null);
      if (outcome?.ok === true) {
        receivedAt = performance.now();
        if (outcome.data.verdict === 'deny') return outcome.data;
        if (outcome.data.verdict === 'allow') return 'allowed';
      } else {
        const isFinal = outcome !== null && outcome.problem.status < 500 && outcome.problem.status !== 429;
        if (isFinal || performance.now() - receivedAt > SILENT_MS) return null;
        await delay(PERMIT_RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    return null;
  }

  async withdraw({ ask, admission, run }: PermissionAsk): Promise<void> {
    await this.#post(() => this.#client.call(withdrawEgress, withLimit({ ask, uid: admission.uid, run }))).catch(
      () => undefined,
    );
  }

  onStopped(listener: (uid: string, isBraked: boolean) => void): () => void {
    return this.#brakes.onStopped(listener);
  }

  #admitted(token: string): Promise<Admission | AdmissionDenial> {
    return this.#post(() => this.#client.call(admitEgress, withLimit({ token })));
  }

  async #keep(facts: { readonly begin: EgressAttempt[]; readonly end: EgressEnd[] }): Promise<void> {
    try {
      await this.#post(() => this.#client.call(keepEgressAttempts, withLimit(facts)));
    } catch (error) {
      const isUnreadable = error instanceof ProblemError && error.problem.code === 'validation_failed';
      throw isUnreadable ? new Unreadable(error.message, { cause: error }) : error;
    }
  }

  /** Sends a request and retries a lost one. A refusal is final. */
  async #post<T>(send: () => Promise<Answered<T>>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const outcome = await send();
        if (outcome.ok) return outcome.data;
        if (outcome.problem.status < 500) throw new ProblemError(outcome.problem);
        if (attempt >= RETRY_MS.length) throw new ProblemError(outcome.problem);
      } catch (error) {
        if (error instanceof ProblemError || attempt >= RETRY_MS.length) throw error;
      }
      await delay(RETRY_MS[attempt]);
    }
  }
}

type Answered<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly problem: ProblemError['problem'] };

function withLimit<T>(body: T): { readonly body: T; readonly signal: AbortSignal } {
  return { body, signal: AbortSignal.timeout(ANSWER_MS) };
}
