const CONTEXT_LINES = 3;

/** The difference of two texts as one hunk of a unified diff; empty if they are equal. Pure. */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return '';
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const first = Math.max(0, head - CONTEXT_LINES);
  const last = Math.min(tail, CONTEXT_LINES);
  const [oldEnd, freshEnd] = [old.length - tail, fresh.length - tail];
  const body = [
    ...old.slice(first, head).map((line) => ` ${line}`),
    ...old.slice(head, oldEnd).map((line) => `-${line}`),
    ...fresh.slice(head, freshEnd).map((line) => `+${line}`),
    ...old.slice(oldEnd, oldEnd + last).map((line) => ` ${line}`),
  ];
  const range = (end: number): string => {
    const count = end + last - first;
    return `${count === 0 ? first : first + 1},${count}`;
  };
  return [
    `--- ${before === null ? '/dev/null' : `a/${path}`}`,
    `+++ ${after === null ? '/dev/null' : `b/${path}`}`,
    `@@ -${range(oldEnd)} +${range(freshEnd)} @@`,
    ...body,
    '',
  ].join('\n');
}

const NO_NEWLINE = '\n\\ No newline at end of file';

function linesOf(text: string | null): readonly string[] {
  if (text === null || text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}${NO_NEWLINE}`];
}
