import { shorten } from '@hamlet/core';

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** A link, a person, a channel or a group, with its words after a bar. */
const REFERENCE = /<([^<>|]+)(?:\|([^<>]*))?>/g;
const NOTICE_MAX_CHARS = 150;

function wordsOfReference(_: string, of: string, label = ''): string {
  const rest = of.slice(1);
  switch (of[0]) {
    case '#':
      return `#${label || rest}`;
    case '@':
      return `@${label || rest}`;
    case '!':
      return label || `@${rest}`;
    default:
      if (label === '') return of;
      // Slack labels an address that a person typed without its scheme with what they typed.
      return of.endsWith(label) ? label : `${label} (${of})`;
  }
}

/** The words that a person wrote, from the text of a message. Pure. */
export function readSlackText(text: string): string {
  return text.replace(REFERENCE, wordsOfReference).replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** The words of a notification. Nothing in it is a mention, a link or formatting of Slack. Pure. */
export function noticeText(text: string): string {
  const escaped = shorten(text.trim(), NOTICE_MAX_CHARS).replace(/[&<>]/g, (character) => ESCAPES[character] ?? '');
  return escaped === '' ? '…' : escaped;
}
