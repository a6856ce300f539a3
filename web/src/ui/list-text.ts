/** A value with a comma, a space or a quote stands between quotes, with its own quotes doubled. */
const written = (item: unknown): string =>
  typeof item === 'string' && /[\s,"]/.test(item) ? `"${item.replaceAll('"', '""')}"` : String(item);

/** The text of a short list in a field, such as `443, 8443`. Empty if the value is not a list. */
export const listText = (value: unknown): string => (Array.isArray(value) ? value.map(written).join(', ') : '');

/** A quoted value, whose last quote may still be missing, or a word without spaces and commas. */
const ITEM = /"((?:[^"]|"")*)(?:"|$)|[^\s,]+/g;

/** The items of a text; numbers where the list has numbers. Other words stay, so that the schema names them. */
export function listItems(text: string, of: 'texts' | 'numbers'): readonly (string | number)[] {
  const words = [...text.matchAll(ITEM)].map(([word, quoted]) => quoted?.replaceAll('""', '"') ?? word);
  const items = words.filter((word) => word !== '');
  return of === 'texts' ? items : items.map((word) => (/^\d{1,9}$/.test(word) ? Number(word) : word));
}
