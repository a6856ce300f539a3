import type { ArgumentAliases } from '@hamlet/engine';
import { asText, coerced, guideOf } from '@hamlet/engine/json';

/**
 * Programs give a time limit in seconds, up to hundreds of them, or in milliseconds, as whole seconds from ten on.
 * Other numbers are in doubt.
 */
const SECONDS_MAX = 999;
const MS_MIN = 10_000;

const NUMBER = guideOf({ type: 'number' });

/** The number that the engine would read under the own name of the argument. */
function numberOf(value: unknown): number {
  const read = coerced(value, NUMBER, { long: asText });
  return typeof read === 'number' ? read : Number.NaN;
}

/** A time limit without a unit, in seconds. Pure. */
function secondsOf(value: unknown): number | undefined {
  const number = numberOf(value);
  if (number <= SECONDS_MAX) return number;
  return number >= MS_MIN && number % 1_000 === 0 ? number / 1_000 : undefined;
}

const fromMs = (value: unknown): number | undefined => {
  const seconds = Math.ceil(numberOf(value) / 1_000);
  return Number.isNaN(seconds) ? undefined : seconds;
};

const limit = (name: string): ArgumentAliases => ({
  timeout: { name, read: secondsOf },
  timeout_ms: { name, read: fromMs },
  timeout_seconds: name,
  timeout_secs: name,
});
const TIMEOUT = limit('timeout_s');
const FILE: ArgumentAliases = { file_path: 'path', file: 'path', file_name: 'path' };
const FOLDER: ArgumentAliases = { dir: 'path', directory: 'path', folder: 'path', dir_path: 'path' };
const ADDRESS: ArgumentAliases = { uri: 'url' };
const QUERY: ArgumentAliases = { q: 'query', search_query: 'query' };

/** Names that models know from other programs. It leaves out those that could mean two things: some programs count `offset` from 0. */
export const ALIASES: Readonly<Record<string, ArgumentAliases>> = {
  shell: { cmd: 'command', run_in_background: 'background', ...TIMEOUT },
  wait_for: { file_path: 'file', path: 'file', ...limit('seconds') },
  read_file: { ...FILE, limit: 'lines', start_line: 'first_line' },
  write_file: { ...FILE, contents: 'content', file_text: 'content', text: 'content' },
  edit_file: {
    ...FILE,
    old_string: 'old_text',
    old_str: 'old_text',
    new_string: 'new_text',
    new_str: 'new_text',
    replace_all: 'all',
  },
  list_files: FOLDER,
  search_files: { ...FOLDER, query: 'pattern', regex: 'pattern', include: 'glob', max_results: 'limit' },
  remember_documents: { ...FILE, ...FOLDER },
  deliver: { file_path: 'path' },
  install_package: TIMEOUT,
  browser_open: { ...ADDRESS, ...TIMEOUT },
  http: ADDRESS,
  web_fetch: ADDRESS,
  web_search: { ...QUERY, num_results: 'count', max_results: 'count', limit: 'count' },
  search_board: QUERY,
  search_memories: QUERY,
};

/** Other names that models give to arguments of a tool of the village; undefined if none are known. */
export const aliasesOf = (tool: string): ArgumentAliases | undefined => ALIASES[tool];
