/** The same text with U+FFFD in place of zeros and halves of characters, which journals and Postgres do not store. */
export const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();
