import type { Shape } from '../engine/subject.ts';

/** A stage of a task by its number. `text`: the text of the stage before it; empty if there is none. */
export interface GivenStage {
  readonly task: string;
  readonly at: number;
  readonly text: string;
}

/** The work of the stages of all tasks under way: each returns its text. Mutable, because tasks begin and end. */
export class StageWork {
  readonly #tasks = new Map<string, { readonly shape: Shape; readonly texts: readonly string[] }>();

  /** Makes a task whose stages return these texts, and removes it when `run` has ended. */
  async during<T>(shape: Shape, texts: readonly string[], run: (task: string) => Promise<T>): Promise<T> {
    const task = crypto.randomUUID();
    this.#tasks.set(task, { shape, texts });
    try {
      return await run(task);
    } finally {
      this.#tasks.delete(task);
    }
  }

  /** Throws unless the stage got the text of the stage before it. */
  textOf({ task, at, text }: GivenStage): string {
    const { shape, texts } = this.#tasks.get(task) ?? { shape: 'parallel', texts: [] };
    const [before, own] = [shape === 'sequence' && at > 0 ? texts[at - 1] : '', texts[at]];
    if (own === undefined || text !== before) throw new Error(`stage ${at} got the text of another stage`);
    return own;
  }
}
