/** Changes of one operator in a TypeScript source. */
import { stripTypeScriptTypes } from 'node:module';

export interface Mutation {
  /** Where the operator begins in the text. */
  readonly at: number;
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

/** The replacements of each operator: comparisons shift by one or reverse; the others become their opposite. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '+=': ['-='],
  '-=': ['+='],
  true: ['false'],
  false: ['true'],
};
/** The formatter puts blanks around operators, unlike generics, arrows and signs. Literals are whole words. */
const OPERATOR = /(?<=\s)(===|!==|<=|>=|&&|\|\||\+=|-=|<|>|\+|-|\*)(?=\s)|(?<![\w.'-])(true|false)(?![\w'-])/g;
/** Lines that import other modules, where `*` is not an operator. */
const NOT_RUN = /^\s*(import|export \*)/;

/** Every possible change of a text, in order. Node replaces types with blanks, so every offset stays the same. */
export function mutationsOf(text: string): readonly Mutation[] {
  const code = withoutTextAndComments(stripTypeScriptTypes(text));
  const lines = code.split('\n');
  return [...code.matchAll(OPERATOR)].flatMap((found) => {
    const line = code.slice(0, found.index).split('\n').length;
    if (NOT_RUN.test(lines[line - 1] ?? '')) return [];
    const [from] = found;
    return (CHANGES[from] ?? []).map((to) => ({ at: found.index, line, from, to }));
  });
}

/** The text with one change made. */
export function mutated(text: string, { at, from, to }: Mutation): string {
  return text.slice(0, at) + to + text.slice(at + from.length);
}

/** The text at the same length, with blanks for comments, strings, templates and regular expressions. */
function withoutTextAndComments(text: string): string {
  const skipped =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;
  return text.replaceAll(skipped, (match) => match.replaceAll(/[^\n]/g, '_'));
}
