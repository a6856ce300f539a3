import { createRequire } from 'node:module';
import { Language, Parser } from 'web-tree-sitter';
import { readScript, type Script } from './syntax.ts';

/** Longest text to parse; a longer one is unclear. */
const MAX_LENGTH = 16_384;
/** Characters that show differently than a shell reads them: controls, formats, and spaces that are none to it. */
const MISLEADING = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Z}]/u;

/** Parses the text of a shell command. Pure once it is open. */
export type ParseShell = (text: string) => Script;

const unreadable = (why: string): Script => ({ commands: [], redirects: [], variables: [], unclear: [why] });

/** Loads the grammar of bash (1.3 MB of WebAssembly, 10 MB of memory). Call it once in a process. */
export async function openShell(): Promise<ParseShell> {
  const { resolve } = createRequire(import.meta.url);
  await Parser.init();
  const language = await Language.load(resolve('tree-sitter-bash/tree-sitter-bash.wasm'));
  const parser = new Parser().setLanguage(language);
  return (text) => {
    if (text.length > MAX_LENGTH) return unreadable(`it is longer than ${String(MAX_LENGTH)} characters`);
    if (MISLEADING.test(text)) return unreadable('it has characters that show differently than a shell reads them');
    const tree = parser.parse(text);
    if (tree === null) return unreadable('it cannot be parsed as a shell command');
    const script = readScript(tree.rootNode);
    tree.delete();
    return script;
  };
}
