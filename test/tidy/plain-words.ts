/**
 * Finds words that docs/GLOSSARY.md and CONTRIBUTING.md rule out, in comments, strings, page texts, titles of tests,
 * identifiers and documents. Run it to list them: node_modules/.bin/node test/tidy/plain-words.ts [FOLDER…]
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

/** Forbidden parts of identifiers. */
const OUT_OF_NAMES =
  /^(told|tells?|telling|hears?|heard|hearing|desks?|shelf|shelves|keepers?|anew|whence|whoever|nobody|somebody)$/i;

export interface Exception {
  /** An identifier, or a part of the sentence. */
  readonly text: string;
  readonly files: RegExp;
  readonly why: string;
}

/** Places where a forbidden word stays. A test fails on an exception that is no longer needed. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    text: 'told',
    files: /^api\/store\/src\/(payments|trade)\/|trade-upkeep\.ts$|webhook-torture\.test\.ts$/,
    why: 'a column of landed tables',
  },
  { text: 'toldAt', files: /^agent-image\/resident\/src\/brain\//, why: 'a field of stored memories' },
  { text: 'tells', files: /^cli\/kubectl\/src\//, why: 'a field of the JSON of kubectl hamlet plan' },
  { text: 'shelf', files: /paint-furniture\.ts$/, why: 'furniture' },
  { text: 'nobody', files: /^local\/|web\.test\.ts$|dev-model\.test\.ts$/, why: 'the user of Unix' },
  { text: 'I heard', files: /echo-runtime\.ts$/, why: 'speech' },
  { text: 'I see nobody', files: /surroundings\.ts$/, why: 'speech' },
  { text: 'tell', files: /scripted-runtime\.ts$/, why: 'the kind of a wish, as people write it' },
  { text: 'tell Bob that', files: /routes\/runs\/runs\.ts$/, why: 'an example of a prompt' },
  { text: 'Who knows how', files: /routes\/board\/posts\.ts$/, why: 'an example of a post' },
  { text: 'apply it anew', files: /kinds\/agent\.ts$|hamlet\.village_agents\.yaml$/, why: 'a message of the CRD' },
  { text: 'showing to telling', files: /values\.yaml$|good-agent-ada\.yaml$/, why: 'the persona of a sample' },
  { text: 'somebody else put down', files: /values\.yaml$|good-agent-ada\.yaml$/, why: 'the persona of a sample' },
];

const READ = /\.(tsx?|mjs|go|sh|css|html|ya?ml|tpl|txt|md)$|Dockerfile$|^Makefile$/;
/** Files that are not checked: generated, landed and released ones, and those that list the words. */
const NOT_READ =
  /\.generated\.|^api\/store\/migrations\/|^charts\/gen\/testing\/released\/|^docs\/GLOSSARY\.md$|^test\/tidy\/plain-words/;
/** Files whose strings are examples of what people and programs write: only their titles, comments and names are read. */
const TEST = /\.test\.tsx?$|_test\.go$|\/testing\/|\.fixture\.ts$|^test\/|^bench\//;
/** Files whose strings are the speech of agents and of the scripted model. */
const SPEECH = /^agent-image\/resident\/src\/brain\/|^api\/server\/src\/gateway\/.*(scripted|speech|sentences)/;

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

const COMMENT_OR_STRING = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g;
const COMMENT_STRING_OR_PAGE_TEXT = new RegExp(`${COMMENT_OR_STRING.source}|(?<=>)[^<>{}]+(?=<)`, 'g');
const REGEX = /(?<=[=(,:!&|?{};[>]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*/;
/** Expressions come first, because a quote in one begins no string. */
const NOT_CODE = new RegExp(`${REGEX.source}|${COMMENT_OR_STRING.source}`, 'g');
const NOT_CODE_OF_A_PAGE = new RegExp(`${REGEX.source}|${COMMENT_STRING_OR_PAGE_TEXT.source}`, 'g');
const TITLE_BEFORE = /\b(?:test|it|describe)(?:\.\w+)?\(\s*$|\bt\.Run\($/;

/** Comments, strings and page texts of a program, in tests only titles and comments; the whole text of any other file. */
function piecesOf(file: string, text: string): readonly Piece[] {
  if (file.endsWith('.md'))
    return paragraphs(text.replaceAll(/^```.*?^```/gms, (code) => code.replaceAll(/[^\n]/g, ' ')));
  if (!/\.(tsx?|mjs|go)$/.test(file)) return text.split('\n').reduce<Piece[]>(addLine, []);
  return [...text.matchAll(file.endsWith('.tsx') ? COMMENT_STRING_OR_PAGE_TEXT : COMMENT_OR_STRING)]
    .map(({ 0: piece, index }) => ({ at: index, text: piece }))
    .filter((piece) => piece.text.startsWith('/') || isRead(file, text, piece));
}

/** True if the string is checked. */
function isRead(file: string, text: string, { at }: Piece): boolean {
  if (TEST.test(file)) return TITLE_BEFORE.test(text.slice(Math.max(0, at - 40), at));
  return !SPEECH.test(file);
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

function wordsIn({ text, isQuestion }: Sentence): readonly string[] {
  return OUT.filter(({ pattern }) => pattern.test(text))
    .map(({ word }) => word)
    .filter((word) => !(isQuestion && word === AT_THE_BEGINNING));
}

const spaces = (text: string): string => text.replaceAll(/[^\n]/g, ' ');

/** A string or comment as spaces; the code of interpolations stays in its place. */
function withoutText(piece: string): string {
  if (!piece.startsWith('`')) return spaces(piece);
  return piece.replaceAll(/\$\{((?:[^{}]|\{[^{}]*\})*)\}|[^$]|\$/g, (part, code: string | undefined) =>
    code === undefined ? spaces(part) : `  ${code.replaceAll(/'[^'\n]*'|"[^"\n]*"/g, spaces)} `,
  );
}

/** The program without its comments, strings and regular expressions. */
const codeOf = (file: string, text: string): string =>
  text.replaceAll(file.endsWith('.tsx') ? NOT_CODE_OF_A_PAGE : NOT_CODE, withoutText);

/** Identifiers of a program with a forbidden part. */
function namesIn(file: string, text: string): readonly Hit[] {
  if (!/\.(tsx?|mjs|go)$/.test(file)) return [];
  const code = codeOf(file, text);
  return [...code.matchAll(/(?<![\w$])[A-Za-z_$][\w$]*/g)].flatMap(({ 0: name, index }) => {
    const parts = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
    if (!parts.some((part) => OUT_OF_NAMES.test(part))) return [];
    return [{ file, line: code.slice(0, index).split('\n').length, word: 'name', text: name }];
  });
}

function hitsIn(file: string): readonly Hit[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const sentences = piecesOf(file, text).flatMap(sentencesOf);
  const hits = sentences.flatMap((sentence) =>
    wordsIn(sentence).map((word) => ({
      file,
      line: text.slice(0, sentence.at).split('\n').length,
      word,
      text: sentence.text.replaceAll(/\s+/g, ' ').trim(),
    })),
  );
  return [...hits, ...namesIn(file, text)];
}

const excuses = ({ text, files }: Exception, hit: Hit): boolean =>
  files.test(hit.file) && (hit.word === 'name' ? hit.text === text : hit.text.includes(text));

/** Every hit of the repository without an exception, in the order of its files, and the exceptions that have none. */
export function plainWordHits(folders: readonly string[] = []): {
  readonly hits: readonly Hit[];
  readonly unused: readonly Exception[];
} {
  const all = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 })
    .split('\0')
    .filter((file) => READ.test(file) && !NOT_READ.test(file))
    .filter((file) => folders.length === 0 || folders.some((folder) => file.startsWith(folder)))
    .filter((file) => lstatSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile() === true)
    .flatMap(hitsIn);
  return {
    hits: all.filter((hit) => !EXCEPTIONS.some((exception) => excuses(exception, hit))),
    unused: EXCEPTIONS.filter((exception) => !all.some((hit) => excuses(exception, hit))),
  };
}

if (import.meta.main) {
  const { hits } = plainWordHits(process.argv.slice(2));
  for (const { file, line, word, text } of hits) console.log(`${file}:${line} [${word}] ${text.slice(0, 140)}`);
  console.log(`${hits.length} hits`);
}
