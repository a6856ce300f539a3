/** Text that a journal and a database can store: without zeros and halves of characters. */
export const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();
