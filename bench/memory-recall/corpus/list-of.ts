/** The texts between the bars, so that a long list reads as a paragraph. */
export const listOf = (text: string): readonly string[] => text.split('|').map((item) => item.trim());
