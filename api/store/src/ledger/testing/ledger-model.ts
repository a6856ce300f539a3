import type { LedgerRefusal } from '../refusal.ts';

const AMOUNT_MAX = 1_000_000_000_000_000n;

/** An account of the model; every number in micro-aiDollars. */
interface ModelAccount {
  readonly ofAgent: boolean;
  readonly mayOverdraw: boolean;
  closed: boolean;
  held: bigint;
  readonly entries: { readonly amount: bigint; readonly balanceAfter: bigint }[];
}

/** The request of a transfer without its key. */
export interface Wish {
  readonly payer: number;
  readonly payee: number;
  readonly amount: bigint;
  readonly note: string;
}

interface ModelTransfer extends Wish {
  readonly id: string;
  readonly hash: string;
  readonly undoes: string | null;
}

interface ModelHold extends Wish {
  readonly id: string;
  readonly hash: string;
  /** Null while it is open. */
  resolution: {
    readonly outcome: string;
    readonly amount: bigint;
    readonly key: string;
    readonly transferId: string | null;
  } | null;
}

/** Expected answer of the ledger: a refusal, the earlier answer, or a new one whose id the model then records. */
export type Expected =
  | { readonly kind: 'refused'; readonly reason: LedgerRefusal }
  | { readonly kind: 'replayed'; readonly id: string | null }
  | { readonly kind: 'done'; readonly note: (id: string) => void };

/** A requested end of a hold; an `amount` of null posts the whole hold. */
export interface Ending {
  readonly outcome: 'posted' | 'voided' | 'expired';
  readonly amount: bigint | null;
}

interface Mode {
  readonly released: bigint;
  readonly settled: boolean;
  readonly forced: boolean;
  readonly undoes: string | null;
}

const PLAIN: Mode = { released: 0n, settled: false, forced: false, undoes: null };

function refused(reason: LedgerRefusal): Expected {
  return { kind: 'refused', reason };
}

function hashOf(wish: Wish, undoes: string | null): string {
  return JSON.stringify([wish.payer, wish.payee, String(wish.amount), wish.note, undoes]);
}

/** The rules of docs/ECONOMY.md on plain maps: the effect of the SQL without locks and keys. Mutable. */
export class LedgerModel {
  readonly accounts = new Map<number, ModelAccount>();
  readonly transfers = new Map<string, ModelTransfer>();
  readonly holds = new Map<string, ModelHold>();
  readonly #keys = new Map<string, ModelTransfer>();
  readonly #reversals = new Map<string, string>();
  readonly #lockKeys = new Map<string, ModelHold>();

  open(id: number, rules: Pick<ModelAccount, 'ofAgent' | 'mayOverdraw'>): void {
    this.accounts.set(id, { ...rules, closed: false, held: 0n, entries: [] });
  }

  balance(id: number): bigint {
    return this.accounts.get(id)?.entries.at(-1)?.balanceAfter ?? 0n;
  }

  post(wish: Wish, key: string, mode: Mode = PLAIN): Expected {
    const fault = this.#fault(wish);
    if (fault !== null) return refused(fault);
    const known = this.#keys.get(key);
    const hash = hashOf(wish, mode.undoes);
    if (known !== undefined) return known.hash === hash ? { kind: 'replayed', id: known.id } : refused('key_reused');
    const reason = this.#whyNot(wish, mode);
    if (reason !== null) return refused(reason);
    return { kind: 'done', note: (id) => this.#move(key, { ...wish, id, hash, undoes: mode.undoes }, mode.released) };
  }

  hold(wish: Wish, key: string, lies: 'ahead' | 'past'): Expected {
    const fault = this.#fault(wish);
    if (fault !== null) return refused(fault);
    const known = this.#lockKeys.get(key);
    const hash = hashOf(wish, null);
    if (known !== undefined) return known.hash === hash ? { kind: 'replayed', id: known.id } : refused('key_reused');
    if (lies === 'past') return refused('hold_expired');
    const reason = this.#whyNot(wish, PLAIN);
    if (reason !== null) return refused(reason);
    return {
      kind: 'done',
      note: (id) => {
        const hold: ModelHold = { ...wish, id, hash, resolution: null };
        this.holds.set(id, hold);
        this.#lockKeys.set(key, hold);
        this.#account(wish.payer).held += wish.amount;
      },
    };
  }

  resolve(holdId: string, asked: Ending, key: string): Expected {
    const hold = this.holds.get(holdId);
    if (hold === undefined) return refused('no_such_hold');
    const amount = asked.outcome === 'posted' ? (asked.amount ?? hold.amount) : 0n;
    if (asked.outcome === 'posted' && amount < 1n) return refused('amount_out_of_range');
    if (amount > hold.amount) return refused('more_than_held');
    return this.#again(hold, { ...asked, amount }, key) ?? this.#end(hold, { ...asked, amount }, key);
  }

  /** Answer of a hold that has ended; null while the hold is open. */
  #again({ resolution }: ModelHold, { outcome, amount }: Ending, key: string): Expected | null {
    if (resolution === null) return null;
    const same = resolution.key === key && resolution.outcome === outcome && resolution.amount === amount;
    return same ? { kind: 'replayed', id: resolution.transferId } : refused('hold_resolved');
  }

  #end(hold: ModelHold, { outcome, amount }: Ending & { readonly amount: bigint }, key: string): Expected {
    if (outcome === 'expired') return refused('hold_not_expired');
    const note = (transferId: string | null): void => {
      hold.resolution = { outcome, amount, key, transferId };
    };
    if (outcome === 'voided') {
      return {
        kind: 'done',
        note: () => {
          note(null);
          this.#account(hold.payer).held -= hold.amount;
        },
      };
    }
    const posting = this.post({ ...hold, amount }, key, {
      released: hold.amount,
      settled: true,
      forced: true,
      undoes: null,
    });
    if (posting.kind !== 'done') return refused('key_reused');
    return {
      kind: 'done',
      note: (id) => {
        posting.note(id);
        note(id);
      },
    };
  }

  reverse(transferId: string, asked: { readonly forced: boolean; readonly note: string }, key: string): Expected {
    const transfer = this.transfers.get(transferId);
    if (transfer === undefined) return refused('no_such_transfer');
    if (transfer.undoes !== null) return refused('reversal_of_reversal');
    const before = this.#reversals.get(transferId);
    if (before !== undefined && before !== key) return refused('already_reversed');
    const wish = { payer: transfer.payee, payee: transfer.payer, amount: transfer.amount, note: asked.note };
    return this.post(wish, key, { released: 0n, settled: true, forced: asked.forced, undoes: transferId });
  }

  #account(id: number): ModelAccount {
    const account = this.accounts.get(id);
    if (account === undefined) throw new Error(`no account ${id} in the model`);
    return account;
  }

  #fault({ payer, payee, amount }: Wish): LedgerRefusal | null {
    if (amount < 1n || amount > AMOUNT_MAX) return 'amount_out_of_range';
    if (payer === payee) return 'same_account';
    return payer > 0 && payee > 0 ? 'agents_never_pay_agents' : null;
  }

  #whyNot({ payer: payerId, payee: payeeId, amount }: Wish, { settled, forced, released }: Mode): LedgerRefusal | null {
    const [payer, payee] = [this.accounts.get(payerId), this.accounts.get(payeeId)];
    if (payer === undefined || payee === undefined) return 'no_such_account';
    if (!settled && (payer.closed || payee.closed)) return 'account_closed';
    const spendable = this.balance(payerId) - payer.held + released;
    return payer.mayOverdraw || forced || spendable >= amount ? null : 'insufficient_funds';
  }

  #move(key: string, transfer: ModelTransfer, released: bigint): void {
    const { payer, payee, amount } = transfer;
    this.#account(payer).held -= released;
    this.#account(payer).entries.push({ amount: -amount, balanceAfter: this.balance(payer) - amount });
    this.#account(payee).entries.push({ amount, balanceAfter: this.balance(payee) + amount });
    this.transfers.set(transfer.id, transfer);
    this.#keys.set(key, transfer);
    if (transfer.undoes !== null) this.#reversals.set(transfer.undoes, key);
  }
}
