/**
 * Finds words that docs/GLOSSARY.md and CONTRIBUTING.md rule out, in comments, strings, page texts and documents. Run
 * it to list them: node_modules/.bin/node test/tidy/plain-words.ts [FOLDER…]
 */
import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

const AT_THE_BEGINNING = 'What, Who, Of at the beginning';

/** Forbidden expressions, each with its replacement. */
export const OUT: readonly { readonly word: string; readonly pattern: RegExp; readonly say: string }[] = [
  {
    word: 'tell, told',
    pattern: /(?<!\*)\b(told|tell(s|ing)?(?! (\w+ ){0,4}apart))\b/i,
    say: 'notify, publish, report',
  },
  { word: 'hear, heard', pattern: /\b(hear(s|ing)?|heard|unheard)\b/i, say: 'receive, know' },
  { word: 'anew', pattern: /\banew\b/i, say: 'again, new' },
  { word: 'for ever, for good', pattern: /\bfor ?ever\b|\bfor good\b/i, say: 'permanently' },
  { word: 'whoever, by hand of', pattern: /\b(who|whom|whose)(so)?ever\b|\bby (the )?hand of\b/i, say: 'the actor' },
  { word: 'whatever', pattern: /\bwhatever\b/i, say: 'every, any, independent of' },
  { word: 'whence', pattern: /\bwhence\b/i, say: 'from where, the origin' },
  { word: 'nobody, somebody', pattern: /\b(nobody|somebody)\b/i, say: 'the actor: API, operator, caller, person' },
  { word: 'is looked at', pattern: /\b(is|are|was|were|be|being) looked at\b/i, say: 'reads, checks' },
  { word: 'goes on', pattern: /\b(go|goes|went|gone|going) on\b(?! (a|the)\b)/i, say: 'continues' },
  { word: AT_THE_BEGINNING, pattern: /^(What|Who|Whom|Whose|Of|Whence)\b/, say: 'subject, verb, object' },
];

const READ = /\.(tsx?|mjs|go|sh|css|html|ya?ml|tpl|txt|md)$|Dockerfile$|^Makefile$/;
/** Tests, generated and released files, decisions and history, and the glossary, which names the words. */
const NOT_READ =
  /\.test\.tsx?$|_test\.go$|\/testing\/|^test\/|^bench\/|\.generated\.|^api\/store\/migrations\/|^docs\/adr\/|^(CHANGELOG|docs\/GLOSSARY)\.md$/;
/** Files whose strings are the speech of agents and of the scripted model. */
const SPEECH = /^agent-image\/resident\/src\/brain\/|^api\/server\/src\/gateway\/.*(scripted|speech|sentences)/;
/** The user `nobody` of Unix. */
const UNIX_USER = /^local\/(dev\/src|cluster\/internal\/image)\//;

export interface Hit {
  readonly file: string;
  readonly line: number;
  readonly word: string;
  readonly text: string;
}

interface Piece {
  readonly at: number;
  readonly text: string;
}

interface Sentence extends Piece {
  readonly isQuestion: boolean;
}

const COMMENT_OR_STRING =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=>)[^<>{}]+(?=<)/g;

/** Comments, strings and page texts of a program; the whole text of any other file. */
function piecesOf(file: string, text: string): readonly Piece[] {
  if (file.endsWith('.md'))
    return paragraphs(text.replaceAll(/^```.*?^```/gms, (code) => code.replaceAll(/[^\n]/g, ' ')));
  if (!/\.(tsx?|mjs|go)$/.test(file)) return text.split('\n').reduce<Piece[]>(addLine, []);
  return [...text.matchAll(COMMENT_OR_STRING)]
    .map(({ 0: piece, index }) => ({ at: index, text: piece }))
    .filter((piece) => piece.text.startsWith('/') || !SPEECH.test(file));
}

function addLine(pieces: Piece[], line: string): Piece[] {
  const last = pieces.at(-1);
  pieces.push({ at: last === undefined ? 0 : last.at + last.text.length + 1, text: line });
  return pieces;
}

/** Paragraphs, items and rows of a document; headings are left out. */
function paragraphs(text: string): readonly Piece[] {
  return [...text.matchAll(/^(?!#|\||\s*$)(?:.+\n?)+/gm)].map(({ 0: piece, index }) => ({ at: index, text: piece }));
}

/** Sentences of a piece, without marks of comments, code in backticks and interpolations. */
function sentencesOf({ at, text }: Piece): readonly Sentence[] {
  const plain = text.replaceAll(/`[^`\n]*`|\$\{[^}]*\}/g, (code, index: number) =>
    index === 0 ? code : ' '.repeat(code.length),
  );
  return [...plain.matchAll(/[^.:;!?|\n]+(?:[.:;!?|](?!\s)[^.:;!?|\n]*|\n(?!\s*\n)[^.:;!?|\n]*)*/g)].map(
    ({ 0: sentence, index }) => ({
      at: at + index,
      text: sentence.replace(/^[\s/*#'"`{}<!|>-]+/, ''),
      isQuestion: plain[index + sentence.length] === '?',
    }),
  );
}

function wordsIn(file: string, { text, isQuestion }: Sentence): readonly string[] {
  return OUT.filter(({ pattern }) => pattern.test(text))
    .map(({ word }) => word)
    .filter(
      (word) => !(isQuestion && word === AT_THE_BEGINNING) && !(word.startsWith('nobody') && UNIX_USER.test(file)),
    );
}

function hitsIn(file: string): readonly Hit[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return piecesOf(file, text)
    .flatMap(sentencesOf)
    .flatMap((sentence) =>
      wordsIn(file, sentence).map((word) => ({
        file,
        line: text.slice(0, sentence.at).split('\n').length,
        word,
        text: sentence.text.replaceAll(/\s+/g, ' ').trim().slice(0, 140),
      })),
    );
}

/** Every hit of the repository, in the order of its files. */
export function plainWordHits(folders: readonly string[] = []): readonly Hit[] {
  return execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 })
    .split('\0')
    .filter((file) => READ.test(file) && !NOT_READ.test(file))
    .filter((file) => folders.length === 0 || folders.some((folder) => file.startsWith(folder)))
    .filter((file) => lstatSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile() === true)
    .flatMap(hitsIn);
}

if (import.meta.main) {
  const hits = plainWordHits(process.argv.slice(2));
  for (const { file, line, word, text } of hits) console.log(`${file}:${line} [${word}] ${text}`);
  console.log(`${hits.length} hits`);
}
