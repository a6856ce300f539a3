import { bootstrapAccount, getMe, logIn, logOut, redeemCode } from '@hamlet/contract';
import type { Caller, Refused, Reply } from './api.ts';
import { claimDrafts, forgetDrafts } from './drafts.ts';
import type { Account, AppState } from './app-state.ts';
import type { Store } from './store.ts';

const UNKNOWN_MS = 5000;
/** After sign-in, the page asks this often: the session may end elsewhere. */
const CHECK_MS = 60_000;

/** The meaning of a refusal for the session; null if it has none. `changed`: the account may have other rights now. */
export function verdictOf({ code, status }: Pick<Refused, 'code' | 'status'>): 'ended' | 'changed' | null {
  if (code === 'unauthenticated' || code === 'token_invalid') return 'ended';
  return status === 403 && (code === 'forbidden' || code === 'account_banned') ? 'changed' : null;
}

/** If the village does not answer, the session does not end. Mutable because it owns a timer. */
export class SessionMonitor {
  readonly #api: Caller;
  readonly #store: Store<AppState>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = false;

  constructor(api: Caller, store: Store<AppState>) {
    this.#api = api;
    this.#store = store;
  }

  start(): void {
    void this.refresh().finally(() => this.#again());
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #again(): void {
    const isUnknown = this.#store.get().session.kind === 'unknown';
    this.#timer = setTimeout(
      () => {
        const { kind } = this.#store.get().session;
        const isDue = kind === 'unknown' || (kind === 'account' && !document.hidden);
        void (isDue && !this.#asking ? this.refresh() : Promise.resolve()).finally(() => this.#again());
      },
      isUnknown ? UNKNOWN_MS : CHECK_MS,
    );
  }

  async refresh(): Promise<void> {
    this.#asking = true;
    const reply = await this.#api.call(getMe, {});
    this.#asking = false;
    if (reply.ok) this.#set(reply.data.account);
    else if (reply.refused.status === 401 || reply.refused.status === 403) this.#end();
    else
      this.#store.set((state) =>
        state.session.kind === 'unknown' ? { ...state, session: { kind: 'unknown', asked: true } } : state,
      );
  }

  /** Receives every refusal: it may mean that the session ended, or that the account may do less than before. */
  refused(refused: Refused, ofRoute: string): void {
    if (this.#store.get().session.kind !== 'account' || ofRoute === getMe.name) return;
    const verdict = verdictOf(refused);
    if (verdict === 'ended') this.#end();
    if (verdict === 'changed') void this.refresh();
  }

  signIn(name: string, password: string): Promise<Reply<unknown>> {
    return this.#entered(this.#api.call(logIn, { body: { name, password } }));
  }

  bootstrap(code: string, person: { readonly name: string; readonly password: string }): Promise<Reply<unknown>> {
    return this.#entered(this.#api.call(bootstrapAccount, { body: { code, ...person } }));
  }

  redeem(code: string, password: string): Promise<Reply<unknown>> {
    return this.#entered(this.#api.call(redeemCode, { body: { code, password } }));
  }

  /** Ends the session. After a refusal or without an answer the session continues, and the reply says so. */
  async signOut(): Promise<Reply<unknown>> {
    const reply = await this.#api.call(logOut, {});
    if (!reply.ok && verdictOf(reply.refused) !== 'ended') return reply;
    forgetDrafts();
    this.#store.set((state) => ({ ...state, session: { kind: 'visitor', ended: false } }));
    return { ok: true, data: null };
  }

  dismissEnded(): void {
    this.#store.set((state) =>
      state.session.kind === 'visitor' ? { ...state, session: { kind: 'visitor', ended: false } } : state,
    );
  }

  async #entered(asked: Promise<Reply<{ readonly account: Account }>>): Promise<Reply<unknown>> {
    const reply = await asked;
    if (reply.ok) this.#set(reply.data.account);
    return reply;
  }

  #set(account: Account): void {
    claimDrafts(account.account_id);
    this.#store.set((state) => {
      const { session } = state;
      const same =
        session.kind === 'account' &&
        session.account.account_id === account.account_id &&
        session.account.role === account.role &&
        session.account.name === account.name;
      return same ? state : { ...state, session: { kind: 'account', account } };
    });
  }

  #end(): void {
    this.#store.set((state) =>
      state.session.kind === 'visitor'
        ? state
        : { ...state, session: { kind: 'visitor', ended: state.session.kind === 'account' } },
    );
  }
}
