/** The text of a short list in a field, such as `443, 8443`. Empty if the value is not a list. */
export function listText(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : '';
}

/** The items of a text; numbers where the list has numbers. Other words stay, so that the schema names them. */
export function listItems(text: string, of: 'texts' | 'numbers'): readonly (string | number)[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  return of === 'texts' ? words : words.map((word) => (/^\d{1,9}$/.test(word) ? Number(word) : word));
}
