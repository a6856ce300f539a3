/**
 * A quotation counts as one word of the sentence around it. If it ends with a full stop at the end of the sentence, the stop
 * counts for both.
 */
const QUOTED_END = /“[^”]*[.!?…]”(?=$|\s+[\p{Lu}“])/gu;
const QUOTED = /“[^”]*”/gu;
const MASK = 'Q';

/**
 * The faults of a text that should consist of whole sentences; empty when it has none. Each sentence begins with a
 * capital and ends with a full stop, no slot of a template is unfilled or empty, and no word is doubled. Each line is
 * checked separately.
 */
export function sentenceFaults(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length === 0 ? ['it is empty'] : lines.flatMap((line) => lineFaults(line));
}

function lineFaults(line: string): readonly string[] {
  const faults = [
    ...(/“\s*”/u.test(line) ? ['an empty quotation'] : []),
    ...(count(line, '“') === count(line, '”') ? [] : ['a quotation without an end']),
  ];
  const own = line.replaceAll(QUOTED_END, `${MASK}.`).replaceAll(QUOTED, MASK);
  const found: readonly (readonly [RegExp, string])[] = [
    [/[{}]|\$\{/u, 'an open slot'],
    [/\b(?:undefined|null|NaN)\b/u, 'an undefined value'],
    [/\s{2,}|\s[.,;:!?]/u, 'an empty slot'],
    [/[.,;:!?][.,;:?]/u, 'two stops'],
    [/\b(\p{L}+)\s+\1\b/iu, 'a doubled word'],
  ];
  const broken = found.flatMap(([pattern, fault]) => (pattern.test(own) ? [fault] : []));
  const sentences = own.split(/(?<=[.!?…])\s+/u);
  const unwhole = sentences.flatMap((each) => [
    ...(/^[\p{Lu}\p{N}]/u.test(each) ? [] : ['a sentence without a capital']),
    ...(/[.!?…]$/u.test(each) ? [] : ['a sentence without a stop']),
  ]);
  return [...faults, ...broken, ...unwhole].map((fault) => `${fault}: ${line}`);
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
