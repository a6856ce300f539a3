import { mcpServerOf } from '@hamlet/core/policy';

/** A tool as far as the search reads it. */
export interface NamedTool {
  readonly name: string;
  readonly description: string;
}

interface ToolGroup {
  /** Words by which people and models ask for the group. */
  readonly words: string;
  readonly tools: readonly string[];
}

/** The tools that a task does not show, by the work that they are for. */
export const TOOL_GROUPS: Readonly<Record<string, ToolGroup>> = {
  village: {
    words: 'world walk move place people agents around near look speak talk meet item carry',
    tools: ['look_around', 'go_to', 'find_agent', 'say', 'use_place', 'pick_up', 'give'],
  },
  board: {
    words: 'post publish message town announce reply thread',
    tools: ['read_board', 'search_board', 'post_to_board', 'reply_on_board', 'close_post'],
  },
  market: {
    words: 'money aidollars price pay tier limits compute model gpu auction trade',
    tools: ['balance', 'quote', 'buy', 'bid'],
  },
  schedule: {
    words: 'cron daily every day week hour morning evening recurring remind time plan',
    tools: ['list_schedules', 'propose_schedule'],
  },
  personality: { words: 'persona character self', tools: ['amend_personality'] },
  memory: {
    words: 'memories remembered notes documents cite',
    tools: ['list_memories', 'forget', 'pin', 'remember_documents'],
  },
  scripts: {
    words: 'program saved reuse',
    tools: ['list_scripts', 'save_script', 'run_script', 'delete_script', 'adopt_script'],
  },
  packages: { words: 'install apt pip npm cargo dependency library', tools: ['install_package'] },
  browser: {
    words: 'web page form click javascript chromium screenshot download site',
    tools: ['browser_open', 'browser_read', 'browser_click', 'browser_fill', 'browser_screenshot', 'browser_download'],
  },
  http: { words: 'api request rest json post', tools: ['http'] },
  files: {
    words: 'folder directory undo revert changes history',
    tools: ['list_files', 'list_changes', 'undo_change'],
  },
  processes: { words: 'background running kill stop signal server', tools: ['list_processes', 'stop_process'] },
  workers: { words: 'delegated children', tools: ['list_workers'] },
};

/** Maximum number of tools that one search adds. */
const FOUND_MAX = 12;
const PREFIX_MIN_CHARS = 4;
const POINTS = { name: 3, group: 2, description: 1 };
const EMPTY_WORDS: ReadonlySet<string> = new Set([
  'a',
  'an',
  'and',
  'for',
  'from',
  'in',
  'of',
  'on',
  'the',
  'to',
  'use',
  'tool',
  'tools',
  'with',
]);

/** The tools that fit a query, best first: by their names, their groups, or else their descriptions. Pure. */
export function searchTools<T extends NamedTool>(tools: readonly T[], query: string): readonly T[] {
  const asked = wordsIn(query).filter((word) => !EMPTY_WORDS.has(word));
  const scored = tools
    .map((tool) => ({ tool, points: pointsOf(tool, asked) }))
    .filter(({ points }) => points > 0)
    .toSorted((a, b) => b.points - a.points);
  const best = scored[0]?.points ?? 0;
  return scored
    .filter(({ points }) => points * 2 >= best)
    .slice(0, FOUND_MAX)
    .map(({ tool }) => tool);
}

interface ToolWords {
  readonly names: readonly string[];
  readonly groups: readonly string[];
  readonly others: readonly string[];
}

const known = new WeakMap<NamedTool, ToolWords>();

function wordsOf(tool: NamedTool): ToolWords {
  const { name, description } = tool;
  const words = known.get(tool) ?? {
    names: wordsIn(name),
    groups: wordsIn(groupOf(name)),
    others: wordsIn(description),
  };
  known.set(tool, words);
  return words;
}

function pointsOf(tool: NamedTool, asked: readonly string[]): number {
  const { names, groups, others } = wordsOf(tool);
  return asked.reduce((sum, word) => {
    if (names.some((each) => isAlike(each, word))) return sum + POINTS.name;
    if (groups.some((each) => isAlike(each, word))) return sum + POINTS.group;
    return others.includes(word) ? sum + POINTS.description : sum;
  }, 0);
}

/** The name and the words of a tool's group; an MCP server is a group of its own. */
function groupOf(tool: string): string {
  const [name, group] = Object.entries(TOOL_GROUPS).find(([, { tools }]) => tools.includes(tool)) ?? [];
  return group === undefined ? (mcpServerOf(tool) ?? '') : `${name} ${group.words}`;
}

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Equal, or one begins with the other: walk and walking. */
function isAlike(one: string, other: string): boolean {
  if (one === other) return true;
  return Math.min(one.length, other.length) >= PREFIX_MIN_CHARS && (one.startsWith(other) || other.startsWith(one));
}
