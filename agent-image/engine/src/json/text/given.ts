import type { Place } from './documents.ts';

/** Words that may say that a document is refused, possible or an example, in languages that models often answer in. */
const DOUBTS =
  /(?<!\p{L})(?:not|never|no|cannot|cant|dont|wont|without|instead|avoid|refuse|wrong|invalid|forbidden|unsafe|example|e\.g|would|could|might|nicht|kein\p{L}*|niemals|ohne|statt|beispiel|würde|ne|pas|jamais|sans|exemple|nunca|jamás|sin|ejemplo|não|sem|exemplo|non|senza|esempio|не|нет|нельзя|пример)(?!\p{L})|n['’]t(?!\p{L})|[不别別勿没沒例]|ない|ません|않|마세요|예시/iu;
/** Ends of words that lead to a document: a colon, an arrow, a tag. */
const LEADS = new Set([':', '：', '=', '>']);

/**
 * True if the words around a document give it as the answer: it begins a line, or one word or words with a colon stand before it,
 * and no word leaves a doubt. The writer may warn of a document within a sentence. Pure.
 * @param all all documents of the text, in their order; they are not words
 */
export function isGiven(text: string, { start }: Place, all: readonly Place[]): boolean {
  const gaps = [{ start: 0, end: 0 }, ...all].map(({ end }, index) => text.slice(end, all[index]?.start));
  const before = gaps[all.findIndex((each) => each.start === start)] ?? '';
  const line = before.slice(before.lastIndexOf('\n') + 1).trim();
  return (!/\s/.test(line) || LEADS.has(line.at(-1) ?? '')) && !gaps.some((words) => DOUBTS.test(words));
}
