import { POST_TITLE_MAX_CHARS } from '@hamlet/contract';

/** What a note without a title is called: its first line, cut at a word where it is too long. Pure. */
export function titleOfNote(text: string): string {
  const line = text.trim().split('\n')[0]?.trim() ?? '';
  const characters = [...line];
  if (characters.length <= POST_TITLE_MAX_CHARS) return line;
  const cut = characters.slice(0, POST_TITLE_MAX_CHARS - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > POST_TITLE_MAX_CHARS / 2 ? cut.slice(0, space) : cut}…`;
}
