import { Fault } from './fault.ts';

type Test = (value: unknown) => boolean;

/** `bind` names a value, `map` computes a list, and the others judge the elements of a list. */
export type Macro = 'bind' | 'map' | ((list: readonly unknown[], test: Test) => unknown);

/** `x.all(y, …)` and so on, by name. */
export const MACROS: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ['bind', 'bind'],
  ['map', 'map'],
  ['filter', (list, test) => list.filter(test)],
  ['all', (list, test) => !isFound(list, (value) => !test(value))],
  ['exists', isFound],
  ['exists_one', (list, test) => list.filter(test).length === 1],
]);

/** An element that is found hides the faults of those before it, as in CEL. */
function isFound(list: readonly unknown[], test: Test): boolean {
  let fault: Fault | null = null;
  for (const value of list) {
    try {
      if (test(value)) return true;
    } catch (error) {
      if (!(error instanceof Fault) || error.isFinal) throw error;
      fault ??= error;
    }
  }
  if (fault !== null) throw fault;
  return false;
}
