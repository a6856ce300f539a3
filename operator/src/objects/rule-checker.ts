import type { CheckedRules, ExampledRule } from '@hamlet/core/rules';

/** Checks the examples of rules; null until the parser of shell commands is loaded. */
export type CheckRules = (rules: readonly ExampledRule[]) => CheckedRules | null;

async function load(): Promise<CheckRules> {
  const [{ checkExamples }, { openShell, readCommandOf }] = await Promise.all([
    import('@hamlet/core/rules'),
    import('@hamlet/shell'),
  ]);
  const parse = await openShell();
  // The object of a list of rules is another one with each change of its spec.
  const known = new WeakMap<readonly ExampledRule[], CheckedRules>();
  return (rules) => {
    const checked = known.get(rules) ?? checkExamples(rules, (command) => readCommandOf(parse, command).classes);
    known.set(rules, checked);
    return checked;
  };
}

/**
 * A checker of examples, by the functions with which the API checks them. The first question begins to load tools and parser, which take
 * more than 10 MB: a village without examples needs neither. `onLoad` is called once they are there; a load that fails begins again with
 * the next question.
 */
export function createRuleChecker({
  onLoad,
  onError,
}: {
  readonly onLoad: () => void;
  readonly onError: (error: unknown) => void;
}): CheckRules {
  let check: CheckRules | null = null;
  let isLoading = false;
  const begin = async (): Promise<void> => {
    try {
      check = await load();
    } catch (error) {
      onError(error);
      return;
    } finally {
      isLoading = false;
    }
    onLoad();
  };
  return (rules) => {
    if (check !== null) return check(rules);
    if (!isLoading) {
      isLoading = true;
      void begin();
    }
    return null;
  };
}
