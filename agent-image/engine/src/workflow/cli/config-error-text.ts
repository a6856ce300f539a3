import type { ConfigError } from '../plan/config-error.ts';

const WIDTH = 110;

/**
 * Errors of manifests for people, each with its line, a caret below the place, and the hint. `dir`: the folder as the caller gave it, or
 * empty. `textOf`: the text of a manifest; null if it is absent. Pure.
 */
export function configErrorText(
  errors: readonly ConfigError[],
  dir: string,
  textOf: (file: string) => string | null,
): string {
  const blocks = errors.map((error) => {
    const { file, line, column, message, hint } = error;
    const head = `${placeIn(dir, file)}:${line}:${column}: ${message}`;
    const source = textOf(file)?.split(/\r?\n/)[line - 1] ?? '';
    const shown = source.trim() === '' ? [] : excerpt(source, line, column);
    return [head, ...shown, ...(hint === null ? [] : [`  hint: ${hint}`])].join('\n');
  });
  return `${blocks.join('\n\n')}\n`;
}

const placeIn = (dir: string, file: string): string =>
  dir === '' || dir.endsWith('/') ? dir + file : `${dir}/${file}`;

/** The line, or the part of it around the place, and a caret. Tabs and control characters become one space each, so that the caret fits. */
function excerpt(source: string, line: number, column: number): readonly string[] {
  const from = column <= WIDTH ? 0 : column - Math.floor(WIDTH / 2);
  const text = source.slice(from, from + WIDTH).replaceAll(/\p{Cc}/gu, ' ');
  const gutter = `  ${line} | `;
  return [`${gutter}${text}`, `${' '.repeat(gutter.length - 2)}| ${' '.repeat(column - 1 - from)}^`];
}
