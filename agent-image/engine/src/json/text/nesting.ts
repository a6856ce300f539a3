import type { Guide } from '../guide.ts';

export type Closer = '}' | ']';

/** An open list or object. */
export type Frame = {
  readonly closer: Closer;
  readonly guide: Guide | null;
  /** The column of the line on which it begins. */
  readonly indent: number;
  /** The column of the first member, if that begins a line. */
  column: number | null;
  size: number;
};

/** The open lists and objects of a document, and whether an added bracket may belong elsewhere. Stateful. */
export class Nesting {
  readonly #frames: Frame[] = [];
  /** The brackets that were added without evidence for their place, and those that would need such evidence. */
  readonly #added = new Set<Closer>();
  readonly #nested = new Set<Closer>();

  get depth(): number {
    return this.#frames.length;
  }

  open(frame: Frame): void {
    this.#frames.push(frame);
  }

  close(): void {
    this.#frames.pop();
  }

  /** The brackets that close everything open, innermost first. */
  closers(): string {
    return this.#frames
      .toReversed()
      .map(({ closer }) => closer)
      .join('');
  }

  /** The open parts around the innermost one that a bracket closes. */
  outer(closer: Closer): readonly Frame[] {
    return this.#frames.slice(0, -1).filter((frame) => frame.closer === closer);
  }

  get parent(): Frame | undefined {
    return this.#frames.at(-2);
  }

  noteAdded(closer: Closer): void {
    this.#added.add(closer);
  }

  /** True if what begins a line belongs to an outer part, by its column. Notes the column of a first member. */
  isLower(frame: Frame, column: number | null): boolean {
    if (frame.size === 0) frame.column = column;
    if (column === null || frame.column === null || column >= frame.column) return false;
    return this.outer(frame.closer).some((each) => each.column === column);
  }

  /** Notes a member that may belong to this part or to the part around it. */
  noteMember(frame: Frame, column: number | null, canBeOuters: boolean): void {
    const isCertain = (column !== null && column === frame.column) || !canBeOuters;
    if (frame.size > 0 && this.parent?.closer === frame.closer && !isCertain) this.#nested.add(frame.closer);
  }

  /** `last`: the bracket that is missing at the end, if it could belong elsewhere. */
  isUnsure(last: Closer | null): boolean {
    return [...this.#added, ...(last === null ? [] : [last])].some((closer) => this.#nested.has(closer));
  }
}
