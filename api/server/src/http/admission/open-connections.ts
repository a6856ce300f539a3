/** Counts what is open, by key and altogether. Mutable because it is a counter; it holds one entry for each key that has something open. */
export class OpenConnections {
  readonly #perKey: number;
  readonly #total: number;
  readonly #byKey = new Map<string, number>();
  #open = 0;

  constructor(limits: { readonly perKey: number; readonly total: number }) {
    this.#perKey = limits.perKey;
    this.#total = limits.total;
  }

  /** Counts one more. Returns what to call once it is closed (twice does no harm), or which limit it would exceed. A null key counts to the total alone. */
  open(key: string | null): (() => void) | 'key' | 'total' {
    const before = key === null ? 0 : (this.#byKey.get(key) ?? 0);
    if (before >= this.#perKey) return 'key';
    if (this.#open >= this.#total) return 'total';
    this.#open += 1;
    if (key !== null) this.#byKey.set(key, before + 1);
    let closed = false;
    return () => {
      if (closed) return;
      closed = true;
      this.#open -= 1;
      if (key !== null) this.#close(key);
    };
  }

  #close(key: string): void {
    const left = (this.#byKey.get(key) ?? 0) - 1;
    if (left > 0) this.#byKey.set(key, left);
    else this.#byKey.delete(key);
  }
}
