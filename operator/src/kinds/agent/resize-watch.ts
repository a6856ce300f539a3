import { isResizing, type PodView } from '../../objects/pod-view.ts';
import { isSameSize, type Size } from '../../objects/tier-compute.ts';
import type { ResizeAttempt, ResizeRefusal } from './facts.ts';

interface Entry {
  readonly size: Size | undefined;
  readonly attempt: ResizeAttempt;
}

const isEqual = (left: Size | undefined, right: Size | undefined): boolean =>
  left === right || (left !== undefined && right !== undefined && isSameSize(left, right));

/**
 * The resizes that pods wait for, and the refused ones. Only in memory: a new leader asks and waits again.
 */
export class ResizeWatch {
  readonly #entries = new Map<string, Entry>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The present attempt of a pod; begins one if the pod lacks the size that it asks for. */
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

  /** The API server refused to resize the pod. */
  refuse(pod: PodView, refusal: ResizeRefusal): void {
    this.#entries.set(pod.metadata.uid, { size: pod.size, attempt: { sinceMs: this.#nowMs(), refusal } });
  }

  forget(pod: PodView): void {
    this.#entries.delete(pod.metadata.uid);
  }
}
