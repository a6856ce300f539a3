import type { RuleExample, VillageRule, VillageRules } from '@hamlet/contract';
import { ruleMatches } from './judge-call.ts';
import { ruleNames } from './judged.ts';
import { mcpServerOf } from './mcp-names.ts';

/** The classes that a shell command needs, as a parser finds them. */
export type CommandClasses = (command: string) => readonly string[];

/** True if a rule is about the call of an example: by tool, class, server, or a class that its shell command needs. Pure. */
function matches(rule: VillageRule, { tool, when, command }: RuleExample, classesOf: CommandClasses): boolean {
  const server = mcpServerOf(tool);
  const names = [
    ...(server === null ? [] : [tool, `mcp__${server}`]),
    ...(command === undefined ? [] : classesOf(command)),
  ];
  return ruleMatches(rule, { tool, when }) || ruleNames(rule, { names, when });
}

const inWords = ({ tool, when, command }: RuleExample): string =>
  command === undefined ? `${tool} in a ${when}` : `${tool} with the command ${JSON.stringify(command)} in a ${when}`;

interface Expected {
  readonly example: RuleExample;
  readonly isMatch: boolean;
}

function expectedOf({ examples = {}, matches: older = [], misses = [] }: VillageRule): readonly Expected[] {
  return [
    ...[...(examples.match ?? []), ...older].map((example) => ({ example, isMatch: true })),
    ...[...(examples.not ?? []), ...misses].map((example) => ({ example, isMatch: false })),
  ];
}

/**
 * The examples that contradict their rules, each with the place of the rule and the fix. Without `classesOf`, examples with a shell
 * command are left out: they need a parser. Pure.
 */
export function wrongExamples(rules: VillageRules, classesOf: CommandClasses | null): readonly string[] {
  return rules.flatMap((rule, index) =>
    expectedOf(rule)
      .filter(({ example: { command } }) => (command === undefined) === (classesOf === null))
      .filter(({ example, isMatch }) => matches(rule, example, classesOf ?? (() => [])) !== isMatch)
      .map(({ example, isMatch }) =>
        isMatch
          ? `rule ${index + 1} must match ${inWords(example)} and does not: correct the rule or its example`
          : `rule ${index + 1} must not match ${inWords(example)} and does: correct the rule or its example`,
      ),
  );
}

/** The shell commands in the examples of rules. Pure. */
export function commandsInExamples(rules: VillageRules): readonly string[] {
  const all = rules.flatMap(expectedOf).flatMap(({ example: { command } }) => (command === undefined ? [] : [command]));
  return [...new Set(all)];
}
