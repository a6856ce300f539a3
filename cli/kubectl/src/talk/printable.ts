/** Control characters, which can move the cursor or change the terminal, and marks that turn the direction of text. */
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Makes text of an agent or a model safe for a terminal: replaces control characters with � and keeps line breaks. */
export const printable = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(UNPRINTABLE, '\ufffd');
