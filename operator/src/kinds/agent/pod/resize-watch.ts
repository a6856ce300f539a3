import { isSameSize } from '../child/compute.ts';
import { isResizing } from './sizing.ts';
import type { PodView, ResizeAttempt, ResizeRefusal, Size } from '../views.ts';

interface Entry {
  readonly size: Size | undefined;
  readonly attempt: ResizeAttempt;
}

const isEqual = (left: Size | undefined, right: Size | undefined): boolean =>
  left === right || (left !== undefined && right !== undefined && isSameSize(left, right));

/**
 * Since when pods lack the size that they ask for, and which sizes were refused. Kept by this process alone: a new leader
 * asks and waits anew.
 */
export class ResizeWatch {
  readonly #entries = new Map<string, Entry>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The attempt that the pod is in; begins one where the pod lacks what it asks for. */
  of(pod: PodView): ResizeAttempt | undefined {
    const { uid } = pod.metadata;
    const known = this.#entries.get(uid);
    if (
      known !== undefined &&
      isEqual(known.size, pod.size) &&
      (known.attempt.refusal !== undefined || isResizing(pod))
    )
      return known.attempt;
    if (known !== undefined) this.#entries.delete(uid);
    if (!isResizing(pod)) return undefined;
    const attempt = { sinceMs: this.#nowMs() };
    this.#entries.set(uid, { size: pod.size, attempt });
    return attempt;
  }

  /** The API server refused to resize the pod as it is now. */
  refuse(pod: PodView, refusal: ResizeRefusal): void {
    this.#entries.set(pod.metadata.uid, { size: pod.size, attempt: { sinceMs: this.#nowMs(), refusal } });
  }

  forget(pod: PodView): void {
    this.#entries.delete(pod.metadata.uid);
  }
}
