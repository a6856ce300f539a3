import { createRequire } from 'node:module';
import { readScript, type Script } from './syntax.ts';

/** Maximum characters to parse; a longer text is unclear. */
const MAX_LENGTH = 16_384;
/**
 * Characters that a person sees differently than a shell: control and format characters, and spaces that do not separate words in a shell.
 */
const MISLEADING = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Z}]/u;

/** Parses the text of a shell command. Pure. */
export type ParseShell = (text: string) => Script;

const unreadable = (why: string): Script => ({
  commands: [],
  redirects: [],
  variables: [],
  computes: false,
  unclear: [why],
});

/** Loads the grammar of bash (1.3 MB of WebAssembly, 10 MB of memory). Call it once in a process. */
export async function openShell(): Promise<ParseShell> {
  const { resolve } = createRequire(import.meta.url);
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init();
  const language = await Language.load(resolve('tree-sitter-bash/tree-sitter-bash.wasm'));
  const parser = new Parser().setLanguage(language);
  return (text) => {
    if (text.length > MAX_LENGTH) return unreadable(`it is longer than ${String(MAX_LENGTH)} characters`);
    if (MISLEADING.test(text)) return unreadable('it has invisible or misleading characters');
    const tree = parser.parse(text);
    if (tree === null) return unreadable('it cannot be parsed as a shell command');
    const script = readScript(text, tree.rootNode);
    tree.delete();
    return script;
  };
}
