/** Parts of a prompt that are looked at, and the longest of them. */
const MAX_CLAUSES = 16;
const MAX_CLAUSE_CHARS = 400;

const QUOTED = /"[^"]*"|“[^”]*”|«[^»]*»|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu;
const BREAK =
  /[.;!?\n]+(?=\s|$)|,?\s+(?:and\s+)?then\s+|,?\s+and\s+(?=(?:then\s+)?(?:go|walk|come|head|return|visit|say|tell|ask|greet|find|meet|look|read|use|report|describe|wave|announce)\b)/giu;
/** What only programs write: braces, tags, back-ticks, and a name with something in brackets right behind it. */
const CODE = /[{}<>`$]|\w\(|\[\s*["'{[]/u;

/** A character that nobody writes stands for what is in quotes while a prompt is cut. */
const MASK = '\u{e000}';
const MASKED = /\u{e000}(\d+)\u{e000}/gu;
/** A quotation before a capital: where its last mark ends a sentence, it ends the one around it too. */
const QUOTED_END = /\u{e000}(\d+)\u{e000}(?=\s+\p{Lu})/gu;

/** Whether a text is written for a program. It is read like any other text, and nothing in it is a wish. */
export function looksLikeCode(text: string): boolean {
  return CODE.test(text.replaceAll(QUOTED, '')) || /^\s*[{[]/u.test(text);
}

/** The sentences of a prompt and their parts, in order; what stands in quotes is never cut. Pure. */
export function clausesOf(prompt: string): readonly string[] {
  const quotes: string[] = [];
  const masked = prompt.replaceAll(MASK, '').replaceAll(QUOTED, (quote) => `${MASK}${quotes.push(quote) - 1}${MASK}`);
  const parts = masked
    .replaceAll(QUOTED_END, (mask, index: string) =>
      /[.!?].$/u.test(quotes[Number(index)] ?? '') ? `${mask}\n` : mask,
    )
    .split(BREAK)
    .map((part) => part.replaceAll(MASKED, (_, index: string) => quotes[Number(index)] ?? ''));
  return parts
    .map((part) => part.trim().replace(/^[,\s]+/u, ''))
    .filter((part) => part !== '')
    .slice(0, MAX_CLAUSES)
    .map((part) => part.slice(0, MAX_CLAUSE_CHARS));
}
