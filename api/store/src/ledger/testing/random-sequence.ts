import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { drawBelow } from '@hamlet/core';
import { type Db, inTransaction, type Tx } from '../../connection/database.ts';
import { closeAgentAccount, findAgentAccount, openAgentAccount } from '../accounts.ts';
import { freezeMoment, readFunds, readFundsAt } from '../balances.ts';
import { readEntries } from '../entries.ts';
import { postBatch } from '../post-batch.ts';
import { holdMoney, type PostOutcome, postTransfer, resolveHold, reverseTransfer } from '../post-transfer.ts';
import type { LedgerRefusal } from '../refusal.ts';
import type { TransferRequest } from '../transfer-request.ts';
import { type Expected, LedgerModel, type Wish } from './ledger-model.ts';

const AHEAD = new Date('2999-01-01T00:00:00Z');
const PAST = new Date('2001-01-01T00:00:00Z');
const ACTOR = { role: 'system', id: 'model' } as const;
const UNKNOWN_ACCOUNT = -7;
const AGENTS = ['a', 'b', 'c'] as const;
const BATCH_MAX = 8;
const BIG = 2_000_000_000_000_000n;

type Answer =
  | { readonly ok: true; readonly id: string | null; readonly replayed: boolean }
  | { readonly ok: false; readonly reason: LedgerRefusal };

interface Keyed {
  readonly wish: Wish;
  readonly key: string;
}

/** The accounts of one sequence: some of the village (one may be negative) and some of agents. */
export interface SequenceAccounts {
  readonly bank: number;
  readonly pot: number;
}

/**
 * One sequence of random operations on its own accounts. Each operation is committed and compared with the model's
 * prediction. `seed` determines the whole sequence.
 */
export class RandomSequence {
  readonly #db: Db;
  /** The transaction of the present operation. */
  #current: Tx | null = null;
  readonly #seed: number;
  #draws = 0;
  readonly #model = new LedgerModel();
  readonly #names = new Map<number, string>();
  readonly #posted: Keyed[] = [];
  readonly #held: Keyed[] = [];
  readonly #ends: {
    readonly holdId: string;
    readonly outcome: 'posted' | 'voided' | 'expired';
    readonly amount: bigint | null;
    readonly key: string;
  }[] = [];
  readonly #past: {
    readonly account: number;
    readonly moment: string;
    readonly balance: bigint;
    readonly held: bigint;
  }[] = [];
  /** How often each kind of answer was expected. */
  readonly seen = new Map<string, number>();
  #ids: number[] = [];
  #keys = 0;

  constructor(db: Db, seed: number) {
    this.#db = db;
    this.#seed = seed;
  }

  /** Runs `length` operations and then compares everything. Throws if ledger and model differ. */
  async run(accounts: SequenceAccounts, length: number): Promise<void> {
    await this.#commit(() => this.#open(accounts));
    const acts = [
      ...Array.from({ length: 8 }, () => () => this.#post()),
      ...Array.from({ length: 3 }, () => () => this.#batch()),
      ...Array.from({ length: 4 }, () => () => this.#hold()),
      ...Array.from({ length: 4 }, () => () => this.#resolve()),
      ...Array.from({ length: 3 }, () => () => this.#reverse()),
      () => this.#closeOrOpen(),
      () => this.#remember(),
    ];
    for (let step = 0; step < length; step += 1) await this.#commit(this.#one(acts));
    await this.#commit(() => this.#compare());
  }

  get #tx(): Tx {
    if (this.#current === null) throw new Error('no transaction is open');
    return this.#current;
  }

  async #commit(act: () => Promise<void>): Promise<void> {
    await inTransaction(this.#db, async (tx) => {
      this.#current = tx;
      await act();
    });
    this.#current = null;
  }

  async #open({ bank, pot }: SequenceAccounts): Promise<void> {
    this.#model.open(bank, { ofAgent: false, mayOverdraw: true });
    this.#model.open(pot, { ofAgent: false, mayOverdraw: false });
    for (const letter of AGENTS) {
      const name = `model-${this.#seed}-${letter}`;
      await openAgentAccount(this.#tx, name);
      const account = await findAgentAccount(this.#tx, name);
      assert.ok(account !== null && account.accountId > 0);
      this.#model.open(account.accountId, { ofAgent: true, mayOverdraw: false });
      this.#names.set(account.accountId, name);
    }
    this.#ids = [...this.#model.accounts.keys()];
  }

  #below(limit: number): number {
    this.#draws += 1;
    return drawBelow(limit, this.#seed, this.#draws);
  }

  #one<T>(choices: readonly T[]): T {
    const choice = choices[this.#below(choices.length)];
    if (choice === undefined) throw new Error('nothing to choose from');
    return choice;
  }

  #amount(): bigint {
    const kind = this.#below(40);
    if (kind === 0) return this.#one([0n, -5n, BIG]);
    return BigInt(1 + this.#below(kind < 10 ? 1_000 : 60));
  }

  #account(): number {
    return this.#below(60) === 0 ? UNKNOWN_ACCOUNT : this.#one(this.#ids);
  }

  #newKey(): string {
    this.#keys += 1;
    return `model ${this.#seed} ${this.#keys}`;
  }

  /** Most requests are new and from the bank; some repeat an earlier request, or reuse its key for a different one. */
  #keyed(before: readonly Keyed[]): Keyed {
    const kind = this.#below(20);
    if (kind < 3 && before.length > 0) return this.#one(before);
    const payer = kind < 10 ? (this.#ids[0] ?? UNKNOWN_ACCOUNT) : this.#account();
    const wish = {
      payer,
      payee: this.#account(),
      amount: this.#amount(),
      note: this.#one(['', 'bread', 'a, (b) "c" \\']),
    };
    return { wish, key: kind === 3 && before.length > 0 ? this.#one(before).key : this.#newKey() };
  }

  #request({ wish, key }: Keyed): TransferRequest {
    return {
      ...wish,
      key,
      reason: 'adjustment',
      source: 'model',
      actor: ACTOR,
      ...(this.#below(4) === 0 ? { about: { traceparent: 'trace', podUid: 'pod' } } : {}),
    };
  }

  #expect(expected: Expected, answer: Answer, what: unknown): void {
    this.#tally(expected);
    if (!RandomSequence.#fits(expected, answer)) {
      const reported = JSON.stringify({ what, answer, expected }, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      assert.fail(`seed ${this.#seed}: ${reported}`);
    }
    if (expected.kind === 'done' && answer.ok) expected.note(answer.id ?? '');
  }

  static #fits(expected: Expected, answer: Answer): boolean {
    if (expected.kind === 'refused') return !answer.ok && answer.reason === expected.reason;
    if (expected.kind === 'replayed') return answer.ok && answer.replayed && answer.id === expected.id;
    return answer.ok && !answer.replayed;
  }

  #tally(expected: Expected): void {
    const kind = expected.kind === 'refused' ? expected.reason : expected.kind;
    this.seen.set(kind, (this.seen.get(kind) ?? 0) + 1);
  }

  static #answer(outcome: PostOutcome): Answer {
    return outcome.ok ? { ok: true, id: outcome.transferId, replayed: outcome.replayed } : outcome;
  }

  async #post(): Promise<void> {
    const keyed = this.#keyed(this.#posted);
    const expected = this.#model.post(keyed.wish, keyed.key);
    this.#expect(expected, RandomSequence.#answer(await postTransfer(this.#tx, this.#request(keyed))), keyed);
    this.#posted.push(keyed);
  }

  async #batch(): Promise<void> {
    const batch: Keyed[] = [];
    for (let size = 1 + this.#below(BATCH_MAX); size > 0; size -= 1)
      batch.push(this.#keyed([...this.#posted, ...batch]));
    const outcomes = await postBatch(
      this.#tx,
      batch.map((keyed) => this.#request(keyed)),
    );
    assert.equal(outcomes.length, batch.length);
    for (const [index, keyed] of batch.entries()) {
      const outcome = outcomes[index];
      assert.ok(outcome !== undefined);
      this.#expect(this.#model.post(keyed.wish, keyed.key), RandomSequence.#answer(outcome), { index, batch });
      this.#posted.push(keyed);
    }
  }

  async #hold(): Promise<void> {
    const keyed = this.#keyed(this.#held);
    const lies = this.#below(15) === 0 ? 'past' : 'ahead';
    const expected = this.#model.hold(keyed.wish, keyed.key, lies);
    const outcome = await holdMoney(this.#tx, { ...this.#request(keyed), expiresAt: lies === 'past' ? PAST : AHEAD });
    this.#expect(expected, outcome.ok ? { ok: true, id: outcome.holdId, replayed: outcome.replayed } : outcome, {
      hold: keyed,
    });
    this.#held.push(keyed);
  }

  async #resolve(): Promise<void> {
    const holds = [...this.#model.holds.keys()];
    const holdId = holds.length === 0 || this.#below(30) === 0 ? randomUUID() : this.#one(holds);
    const fresh = {
      holdId,
      outcome: this.#one(['posted', 'posted', 'voided', 'expired'] as const),
      amount: this.#below(3) === 0 ? this.#amount() : null,
      key: this.#newKey(),
    };
    const asked = this.#below(6) === 0 && this.#ends.length > 0 ? this.#one(this.#ends) : fresh;
    const { amount, ...rest } = asked;
    const expected = this.#model.resolve(asked.holdId, asked, asked.key);
    const outcome = await resolveHold(this.#tx, { ...rest, ...(amount === null ? {} : { amount }), actor: ACTOR });
    this.#expect(
      expected,
      outcome.ok ? { ok: true, id: outcome.transferId, replayed: outcome.replayed } : outcome,
      asked,
    );
    this.#ends.push(asked);
  }

  async #reverse(): Promise<void> {
    const transfers = [...this.#model.transfers.keys()];
    const transferId = transfers.length === 0 || this.#below(30) === 0 ? randomUUID() : this.#one(transfers);
    const asked = {
      transferId,
      forced: this.#below(3) === 0,
      note: 'undone',
      key: this.#below(12) === 0 && this.#posted.length > 0 ? this.#one(this.#posted).key : this.#newKey(),
    };
    const expected = this.#model.reverse(transferId, asked, asked.key);
    this.#expect(
      expected,
      RandomSequence.#answer(
        await reverseTransfer(this.#tx, { ...asked, reason: 'adjustment', source: 'model', actor: ACTOR }),
      ),
      asked,
    );
  }

  async #closeOrOpen(): Promise<void> {
    const [id, name] = this.#one([...this.#names]);
    const account = this.#model.accounts.get(id);
    assert.ok(account !== undefined);
    if (account.closed) await openAgentAccount(this.#tx, name);
    else await closeAgentAccount(this.#tx, name);
    account.closed = !account.closed;
  }

  async #remember(): Promise<void> {
    const account = this.#one(this.#ids);
    const moment = await freezeMoment(this.#tx, account, null);
    this.#past.push({
      account,
      moment,
      balance: this.#model.balance(account),
      held: this.#model.accounts.get(account)?.held ?? 0n,
    });
  }

  async #compare(): Promise<void> {
    for (const [id, { held, entries }] of this.#model.accounts) {
      const funds = await readFunds(this.#tx, id);
      assert.deepEqual(
        [funds.balance, funds.held],
        [this.#model.balance(id), held],
        `seed ${this.#seed}: account ${id}`,
      );
      const asOf = await freezeMoment(this.#tx, id, null);
      const rows = await readEntries(this.#tx, id, { asOf, before: null, limit: 10_000 });
      assert.deepEqual(
        rows.toReversed().map(({ amount, balanceAfter }) => ({ amount, balanceAfter })),
        entries,
        `seed ${this.#seed}: entries of ${id}`,
      );
      assert.deepEqual(
        rows.map(({ version }) => version),
        entries.map((_, index) => entries.length - index),
      );
    }
    for (const { account, moment, balance, held } of this.#past) {
      const funds = await readFundsAt(this.#tx, account, moment);
      assert.deepEqual(
        [funds.balance, funds.held, funds.asOf],
        [balance, held, moment],
        `seed ${this.#seed}: account ${account} at ${moment}`,
      );
    }
  }
}
