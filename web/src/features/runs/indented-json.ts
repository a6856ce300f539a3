const INDENT = '  ';
const STARTS: ReadonlySet<string> = new Set(['[', '{']);
const ENDS: ReadonlySet<string> = new Set([']', '}']);
const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}]|,|:|[^\s"[\]{},:]+/g;

/**
 * Valid JSON over several lines. Only white space changes, so that each number keeps its digits: `JSON.parse` would round those
 * beyond 2^53. Pure.
 */
export function indentedJson(json: string): string {
  const parts: string[] = [];
  let [depth, before] = [0, ''];
  const newLine = (): number => parts.push(`\n${INDENT.repeat(depth)}`);
  for (const [token] of json.matchAll(TOKENS)) {
    const isEnd = ENDS.has(token);
    const isAfterStart = STARTS.has(before);
    if (isEnd) depth -= 1;
    if (isEnd ? !isAfterStart : isAfterStart || before === ',') newLine();
    if (STARTS.has(token)) depth += 1;
    parts.push(token === ':' ? ': ' : token);
    before = token;
  }
  return parts.join('');
}
