const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');

/** Code, bold text and links of a line. Each alternative excludes its own end, so that no text is matched twice. */
const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\((https?:\/\/[^\s()<>"]+)\)/g;

function inline(line: string): string {
  let html = '';
  let at = 0;
  for (const match of line.matchAll(INLINE)) {
    const [whole, code, bold, words, address] = match;
    html += escaped(line.slice(at, match.index));
    if (code !== undefined) html += `<code>${escaped(code)}</code>`;
    else if (bold !== undefined) html += `<b>${escaped(bold)}</b>`;
    else html += `<a href="${escaped(address ?? '')}">${escaped(words ?? '')}</a>`;
    at = match.index + whole.length;
  }
  return html + escaped(line.slice(at));
}

function line(text: string): string {
  const [, heading] = /^#{1,6} +(.+)$/.exec(text) ?? [];
  return heading === undefined ? inline(text) : `<b>${escaped(heading)}</b>`;
}

/**
 * A Markdown text as the HTML that Telegram accepts: blocks of code, code, bold text, headings and links to the web.
 * Everything else, HTML above all, is shown as it is written. Pure.
 */
export function telegramHtml(markdown: string): string {
  const html: string[] = [];
  let code: string[] | null = null;
  for (const text of markdown.split('\n')) {
    const isFence = /^\s*```/.test(text);
    if (isFence && code !== null) {
      html.push(`<pre>${escaped(code.join('\n'))}</pre>`);
      code = null;
    } else if (isFence) code = [];
    else if (code === null) html.push(line(text));
    else code.push(text);
  }
  if (code !== null) html.push(`<pre>${escaped(code.join('\n'))}</pre>`);
  return html.join('\n');
}
