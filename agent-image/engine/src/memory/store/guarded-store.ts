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
  /** Null after a salvage that failed, for example on a full disk: the next use opens the file again. */
  #parts: Parts | null;

  constructor(opening: Opening) {
    this.#opening = opening;
    this.#parts = this.#open();
  }

  get database(): Parts['database'] {
    return this.#opened().database;
  }

  read<T>(work: (parts: Parts) => T): T {
    const parts = this.#opened();
    try {
      return work(parts);
    } catch (error) {
      if (!isDamage(error, parts.database)) throw error;
      this.#parts = null;
      parts.database.close();
      this.#opening.salvage();
      return work(this.#opened());
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

  #opened(): Parts {
    return (this.#parts ??= this.#open());
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
