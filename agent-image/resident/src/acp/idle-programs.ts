/**
 * Maximum number of programs that rest between two runs of their conversations. An idle one may hold 400 MB of the
 * hands.
 */
const IDLE_MAX = 2;

interface Resting {
  end(): Promise<void>;
}

/** Ends the program that has rested longest when too many rest. Its conversation continues with a new process. Mutable. */
export class IdlePrograms<T extends Resting> {
  #resting: readonly T[] = [];

  /** Call it when the program works again or has ended. */
  leave(program: T): void {
    this.#resting = this.#resting.filter((each) => each !== program);
  }

  async rest(program: T): Promise<void> {
    this.leave(program);
    const [oldest, ...others] = [...this.#resting, program];
    if (others.length < IDLE_MAX) this.#resting = [...this.#resting, program];
    else {
      this.#resting = others;
      await oldest?.end();
    }
  }
}
