import { isLiteral, isOperand, type Word } from './words.ts';

/** The words of a program, sorted. Values that are joined to their option are left out. */
interface Given {
  readonly operands: readonly Word[];
  readonly values: readonly { readonly option: string; readonly value: Word }[];
}

/** Words that a short option takes: 1 or 2; 0 if one of its letters is not in the table. */
function lengthOfShort(text: string, table: string): 0 | 1 | 2 {
  const valued = [...table.matchAll(/.(?=:)/g)].join('');
  const found = new RegExp(`^-[${table.replaceAll(/.:/g, '')}]*(?:[${valued}](.*))?$`, 's').exec(text);
  return found === null ? 0 : found[1] === '' ? 2 : 1;
}

function lengthOfLong(text: string, table: readonly string[]): 0 | 1 | 2 {
  const [name = ''] = text.slice(2).split('=', 1);
  if (table.includes(name)) return 1;
  if (!table.includes(`${name}=`)) return 0;
  return text.includes('=') ? 1 : 2;
}

function lengthOf(option: Word, [short = '', ...long]: readonly string[]): 0 | 1 | 2 {
  if (!isLiteral(option)) return 0;
  return option.text.startsWith('--') ? lengthOfLong(option.text, long) : lengthOfShort(option.text, short);
}

/**
 * Operands and values of options, or null if an option is not in the table: `abc:` are short ones of which c takes a value,
 * `name=` is a long one with a value. Abbreviated long options count as missing.
 */
export function given(words: readonly Word[], table: string): Given | null {
  const [operands, values]: [Word[], { option: string; value: Word }[]] = [[], []];
  let isValue = false;
  for (const [at, word] of words.entries()) {
    if (isValue) isValue = false;
    else if (isOperand(word)) operands.push(word);
    else if (word.text === '--') return { operands: [...operands, ...words.slice(at + 1)], values };
    else {
      const length = lengthOf(word, table.split(' '));
      const value = length === 2 ? words[at + 1] : undefined;
      if (length === 0 || value?.becomes === 'many') return null;
      if (value !== undefined) values.push({ option: word.text, value });
      isValue = length === 2;
    }
  }
  return { operands, values };
}
