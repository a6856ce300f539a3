import type { PolicyRule, VillageRule } from '@hamlet/contract';
import { ruleMatches } from './judge-call.ts';
import { ruleNames } from './judged.ts';
import { mcpServerOf } from './mcp-names.ts';

/** A call that a rule must or must not match, as the village, a tier or an Agent writes it. */
interface Example {
  readonly tool: string;
  readonly when: 'run' | 'turn';
  readonly command?: string | undefined;
}

/** A rule with its examples; `matches` and `misses` are an older form of the village's rules. */
export type ExampledRule = Pick<PolicyRule, 'tools' | 'when' | 'verdict'> & {
  readonly examples?:
    | { readonly match?: readonly Example[] | undefined; readonly not?: readonly Example[] | undefined }
    | undefined;
} & Pick<VillageRule, 'matches' | 'misses'>;

/** The classes that a shell command needs, from a parser; null until the parser is loaded. */
export type CommandClasses = (command: string) => readonly string[] | null;

/** True if a rule matches the call of an example: by tool, class, server, or a class that its shell command needs. Pure. */
function matches(rule: ExampledRule, { tool, when }: Example, classes: readonly string[]): boolean {
  const server = mcpServerOf(tool);
  const names = [...(server === null ? [] : [tool, `mcp__${server}`]), ...classes];
  return ruleMatches(rule, { tool, when }) || ruleNames(rule, { names, when });
}

const inWords = ({ tool, when, command }: Example): string =>
  command === undefined ? `${tool} in a ${when}` : `${tool} with the command ${JSON.stringify(command)} in a ${when}`;

interface Expected {
  readonly example: Example;
  readonly isMatch: boolean;
}

function expectedOf({ examples = {}, matches: older = [], misses = [] }: ExampledRule): readonly Expected[] {
  return [
    ...[...(examples.match ?? []), ...older].map((example) => ({ example, isMatch: true })),
    ...[...(examples.not ?? []), ...misses].map((example) => ({ example, isMatch: false })),
  ];
}

const FIX = 'correct the rule or its example';

/** The error of one example, with the number of its rule and the fix; null if the example passes. Pure. */
function errorOf(
  rule: ExampledRule,
  { example, isMatch }: Expected,
  { at, classes }: { readonly at: number; readonly classes: readonly string[] },
): string | null {
  if (matches(rule, example, classes) === isMatch) return null;
  return isMatch
    ? `rule ${at + 1} must match ${inWords(example)} and does not: ${FIX}`
    : `rule ${at + 1} must not match ${inWords(example)} and does: ${FIX}`;
}

/** Examples that contradict their rules; without `classesOf`, only examples without a shell command. Pure. */
export function wrongExamples(rules: readonly ExampledRule[], classesOf: CommandClasses | null): readonly string[] {
  return rules.flatMap((rule, at) =>
    expectedOf(rule)
      .filter(({ example: { command } }) => (command === undefined) === (classesOf === null))
      .flatMap((expected) => {
        const { command } = expected.example;
        const classes = command === undefined ? [] : (classesOf?.(command) ?? []);
        return errorOf(rule, expected, { at, classes }) ?? [];
      }),
  );
}

export function commandsInExamples(rules: readonly ExampledRule[]): readonly string[] {
  const all = rules.flatMap(expectedOf).flatMap(({ example: { command } }) => (command === undefined ? [] : [command]));
  return [...new Set(all)];
}

/** The result of the examples of one list of rules. */
export interface CheckedRules {
  readonly examples: number;
  /** Each failed example, with the number of its rule and the fix. */
  readonly errors: readonly string[];
  /** True while examples wait for the parser of shell commands. */
  readonly isPending: boolean;
  /** Indexes of rules with an example that failed or is unchecked. */
  readonly broken: ReadonlySet<number>;
}

/** The state of one example: an error or null; unchecked if there is no parser for its command. Pure if `classesOf` is. */
function examine(
  rule: ExampledRule,
  expected: Expected,
  { at, classesOf }: { readonly at: number; readonly classesOf: CommandClasses },
): { readonly error: string | null; readonly waits: boolean } {
  const { command, tool } = expected.example;
  if (command === undefined) return { error: errorOf(rule, expected, { at, classes: [] }), waits: false };
  if (tool !== 'shell') {
    const error = `rule ${at + 1} has an example of ${tool} with a command: write tool: shell, or leave command out`;
    return { error, waits: false };
  }
  const classes = classesOf(command);
  return classes === null
    ? { error: null, waits: true }
    : { error: errorOf(rule, expected, { at, classes }), waits: false };
}

/** Checks the examples in the rules of a tier or an Agent. Pure if `classesOf` is. */
export function checkExamples(rules: readonly ExampledRule[], classesOf: CommandClasses): CheckedRules {
  const examined = rules.flatMap((rule, at) =>
    expectedOf(rule).map((expected) => ({ at, ...examine(rule, expected, { at, classesOf }) })),
  );
  const failing = examined.filter(({ error, waits }) => error !== null || waits);
  return {
    examples: examined.length,
    errors: failing.flatMap(({ error }) => error ?? []),
    isPending: failing.some(({ waits }) => waits),
    broken: new Set(failing.map(({ at }) => at)),
  };
}

/** Drops allow rules with a failed example; ask and deny rules stay. Pure if `classesOf` is. */
export function rulesInForce<Rule extends ExampledRule>(
  rules: readonly Rule[],
  classesOf: CommandClasses,
): readonly Rule[] {
  const { broken } = checkExamples(rules, classesOf);
  return broken.size === 0 ? rules : rules.filter(({ verdict }, at) => verdict !== 'allow' || !broken.has(at));
}

export { unknownNames } from './rule-names.ts';
