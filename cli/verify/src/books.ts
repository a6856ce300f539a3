import { openRecord, sidesOf, type SealedSide } from '@hamlet/core';

interface Account {
  version: bigint;
  balance: bigint;
  /**
   * Entries that wait for an earlier entry of their account. The log is in the order in which transactions began, not
   * in the order of postings.
   */
  readonly ahead: Map<bigint, SealedSide>;
}

/** Balances of all accounts, derived from the entries of the log. Mutable: it accumulates entries. */
export class Books {
  readonly #accounts = new Map<bigint, Account>();
  #transfers = 0;

  get transfers(): number {
    return this.#transfers;
  }

  /** Number of entries that wait for an earlier entry of their account that is not sealed yet. */
  get waiting(): number {
    return [...this.#accounts.values()].reduce((sum, { ahead }) => sum + ahead.size, 0);
  }

  /** Adds an entry of the log. Returns its fault, or null. */
  take(leaf: Uint8Array): string | null {
    const sides = sidesOf(openRecord(leaf));
    if (sides === null) return null;
    this.#transfers += 1;
    for (const side of sides) {
      const fault = this.#takeSide(side);
      if (fault !== null) return fault;
    }
    return null;
  }

  #takeSide(side: SealedSide): string | null {
    if (side.balanceAfter === null) return `the entry ${side.version} of ${side.owner} does not mirror its transfer`;
    const account = this.#accounts.get(side.account) ?? {
      version: 0n,
      balance: 0n,
      ahead: new Map<bigint, SealedSide>(),
    };
    this.#accounts.set(side.account, account);
    if (side.version <= account.version || account.ahead.has(side.version))
      return `${side.owner} has an entry ${side.version} twice`;
    account.ahead.set(side.version, side);
    for (
      let next = account.ahead.get(account.version + 1n);
      next !== undefined;
      next = account.ahead.get(account.version + 1n)
    ) {
      account.ahead.delete(next.version);
      account.version = next.version;
      account.balance += next.amount;
      if (account.balance !== next.balanceAfter)
        return `the balance of ${next.owner} after its entry ${next.version} is ${next.balanceAfter}, and its entries sum to ${account.balance}`;
    }
    return null;
  }
}
