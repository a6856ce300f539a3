import { setTimeout as delay } from 'node:timers/promises';
import type { EgressAttempt, EgressEnd, EgressWrite } from '@hamlet/contract/broker';
import {
  admitEgress,
  createClient,
  EGRESS_CHANGE_MAX_CHARS,
  EGRESS_CHANGES_MAX,
  EGRESS_HOST_MAX_CHARS,
  EGRESS_PATH_MAX_CHARS,
  EGRESS_WAIT_MAX_MS,
  keepEgressAttempts,
  permitEgress,
  ProblemError,
  readEgressSecret,
  withdrawEgress,
} from '@hamlet/contract/broker';
import type { EgressDenial } from '@hamlet/core/egress';
import { keepEnds } from '../proxy/shown-text.ts';
import { noSecret, notForHost } from '../secrets/put-secret.ts';
import type { Admission, AdmissionDenial, Attempt, AttemptEnd, PermissionAsk, SecretUse, Village } from '../village.ts';
import { Unreadable } from '../village.ts';
import { Stops } from '../stops.ts';
import { BrakeStream } from './brake-stream.ts';

/** Timeout of one request to the API in milliseconds: a program waits for it. */
const ANSWER_MS = 5_000;
/** Pauses between retries. All requests are idempotent. */
const RETRY_MS: readonly number[] = [100, 400];

/** An API that restarts answers within this time. */
const SILENT_MS = 60_000;
const PERMIT_RETRY_MS = 500;

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

  /**
   * Repeats a long poll with the same id until the API decides on the write. Rejects if the program hangs up, or if the
   * API does not answer for a minute.
   */
  async permit(ask: PermissionAsk, signal: AbortSignal): Promise<'allowed' | EgressDenial> {
    const body = { ...wireWrite(ask), wait_ms: EGRESS_WAIT_MAX_MS };
    for (let receivedAt = performance.now(); !signal.aborted;) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(EGRESS_WAIT_MAX_MS + ANSWER_MS)]);
      const outcome = await this.#client.call(permitEgress, { body, signal: limit }).catch(() => null);
      if (outcome?.ok === true) {
        receivedAt = performance.now();
        if (outcome.data.verdict === 'deny') return outcome.data;
        if (outcome.data.verdict === 'allow') return 'allowed';
      } else {
        const isFinal = outcome !== null && outcome.problem.status < 500 && outcome.problem.status !== 429;
        if (isFinal || performance.now() - receivedAt > SILENT_MS) break;
        await delay(PERMIT_RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    await this.withdraw(ask);
    throw new Error('the API did not answer the permission request');
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
