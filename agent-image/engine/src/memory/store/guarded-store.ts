import { inTransaction, isDamage } from './open-store.ts';
import type { Parts } from './parts.ts';

type Opening = Readonly<{
  /** Opens the file. Throws SQLite's error for a damaged one. */
  open: () => Parts;
  /** Puts a usable file in the place of a damaged one. */
  salvage: () => void;
}>;

/** An open store whose damage is salvaged once, when it shows; the work is then done again on what came back. */
export class GuardedStore {
  readonly #opening: Opening;
  #parts: Parts;

  constructor(opening: Opening) {
    this.#opening = opening;
    this.#parts = this.#open();
  }

  get database(): Parts['database'] {
    return this.#parts.database;
  }

  read<T>(work: (parts: Parts) => T): T {
    try {
      return work(this.#parts);
    } catch (error) {
      if (!isDamage(error, this.#parts.database)) throw error;
      this.#parts.database.close();
      this.#opening.salvage();
      this.#parts = this.#open();
      return work(this.#parts);
    }
  }

  /** Runs the work in a transaction: all of it is stored or none. */
  write<T>(work: (parts: Parts) => T): T {
    return this.read((parts) => {
      try {
        return inTransaction(parts.database, () => work(parts));
      } catch (error) {
        parts.audiences.reload();
        parts.table.recount();
        throw error;
      }
    });
  }

  #open(): Parts {
    try {
      return this.#opening.open();
    } catch (error) {
      if (!isDamage(error, null)) throw error;
      this.#opening.salvage();
      return this.#opening.open();
    }
  }
}
