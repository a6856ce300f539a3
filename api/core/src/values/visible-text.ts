/** Hidden or reordering characters: controls, marks of direction, joiners, tags, private ones, unusual spaces. */
const HIDDEN = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** The text with every hidden character written as its code: `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text.replaceAll(HIDDEN, (hidden) => {
    const code = hidden.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
