import { after } from 'node:test';

const steps: (() => unknown)[] = [];

/** Runs a step after the tests of the calling file, the latest step first. A step that fails does not stop the others. */
export function atEnd(step: () => unknown): void {
  if (steps.push(step) > 1) return;
  after(async () => {
    const errors: unknown[] = [];
    for (const each of steps.splice(0).toReversed())
      try {
        await each();
      } catch (error) {
        errors.push(error);
      }
    if (errors.length > 0) throw new AggregateError(errors);
  });
}
