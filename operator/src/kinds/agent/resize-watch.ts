import { isResizing, type PodView } from '../../objects/pod-view.ts';
import { isSameSize, type Size } from '../../objects/tier-compute.ts';
import type { ResizeAttempt, ResizeRefusal } from './facts.ts';

interface Entry {
  readonly size: Size | undefined;
  readonly attempt: ResizeAttempt;
}

const isEqual = (left: Size | undefined, right: Size | undefined): boolean =>
  left === right || (left !== undefined && right !== undefined && isSameSize(left, right));

/** Remembers, in memory only, resizes that pods wait for or that the API server refused; a new leader asks again. */
export class ResizeWatch {
  readonly #entries = new Map<string, Entry>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The current resize attempt of a pod. Begins an attempt if the pod does not have the size in its spec yet. */
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

  refuse(pod: PodView, refusal: ResizeRefusal): void {
    this.#entries.set(pod.metadata.uid, { size: pod.size, attempt: { sinceMs: this.#nowMs(), refusal } });
  }

  forget(pod: PodView): void {
    this.#entries.delete(pod.metadata.uid);
  }
}
