import { judgeCall } from '@hamlet/core/policy';
import type { Tool } from '@hamlet/engine';
import { groupsOf } from '../tools/find-tools.ts';
import { shownTools, usableTools, type ToolRules } from '../tools/shown-tools.ts';
import type { BookedRun } from './run-book.ts';
import type { RunTools } from './work-rules.ts';

type Ruled = Pick<BookedRun, 'policy' | 'given' | 'canBrowse'> | undefined;

/** What a run may use, by its rules and its tier; everything if this process does not know the run. Pure. */
export function toolRulesOf(run: Ruled): ToolRules {
  const { policy = null, given = [], canBrowse = true } = run ?? {};
  const verdictOf: ToolRules['verdictOf'] = (tool) =>
    policy === null ? 'allow' : judgeCall(policy, { tool, when: 'run' }).verdict;
  return { verdictOf, given, canBrowse };
}

/** The tool whose every call is a question: it needs no further permission. */
const QUESTION = 'ask_human';

/** The tools of a run as its prompt describes them, before its first call. Pure. */
export function runToolsOf(tools: readonly Tool[], run: Ruled): RunTools {
  const rules = toolRulesOf(run);
  const shown = shownTools(tools, [], rules).map(({ name }) => name);
  const others = usableTools(tools, rules).filter(({ name }) => !shown.includes(name));
  return {
    shown,
    more: groupsOf(others).map(({ group }) => group),
    asking: shown.filter((name) => name !== QUESTION && rules.verdictOf(name) === 'ask'),
    asksToSend: asksToSend(run),
  };
}

function asksToSend(run: Ruled): boolean {
  const policy = run?.policy ?? null;
  return policy !== null && judgeCall(policy, { tool: 'http', when: 'run', knownClass: 'send' }).verdict === 'ask';
}
