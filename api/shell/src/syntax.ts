import type { Node } from 'web-tree-sitter';
import { isPlainTest } from './programs.ts';
import { unseenIn } from './raw-text.ts';
import { wordOf, type Word } from './words.ts';

/** A program that the text may start, perhaps conditionally, with its words. */
export interface SimpleCommand {
  readonly name: Word;
  readonly words: readonly Word[];
  /** Variables that are set only for this command, or for the shell if there is no program. */
  readonly variables: readonly string[];
  /** True if its standard input is a pipe, a heredoc or a file. */
  readonly isFed: boolean;
}

/** A file that the shell opens for a redirection. */
export interface Redirect {
  readonly target: Word;
  readonly writes: boolean;
}

export interface Script {
  readonly commands: readonly SimpleCommand[];
  readonly redirects: readonly Redirect[];
  /** Variables of the shell that it sets. */
  readonly variables: readonly string[];
  /** True if the shell evaluates text as arithmetic: data such as `a[$(id)]` then runs `id`. */
  readonly computes: boolean;
  /** Parts that the reader did not understand, each as a sentence. */
  readonly unclear: readonly string[];
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Nodes that only contain others. An unlisted kind makes the script unclear. */
const HOLDERS = set(
  'program list pipeline redirected_statement subshell compound_statement negated_command if_statement elif_clause else_clause while_statement do_group case_statement case_item test_command unary_expression binary_expression parenthesized_expression command_substitution process_substitution string concatenation arithmetic_expansion expansion simple_expansion heredoc_redirect heredoc_body herestring_redirect array command_name subscript postfix_expression ternary_expression unset_command c_style_for_statement',
);
/** Nodes that contain no commands. */
const LEAVES = set(
  'word raw_string string_content number variable_name special_variable_name test_operator heredoc_start heredoc_end heredoc_content comment regex extglob_pattern file_descriptor brace_expression ansi_c_string',
);
/** Nodes in which the shell evaluates arithmetic. */
const COMPUTING = set(
  'subscript postfix_expression ternary_expression unset_command declaration_command c_style_for_statement',
);
/** Expansions without arithmetic: a variable's value, or that value with a plain pattern removed or replaced. */
const PLAIN_EXPANSION =
  /^\$\{(#?(\w+|[@*#?$!-])|\w+(:?[-+?]|##?|%%?|\/\/?|\^\^?|,,?)[\w./:,*? @%+-]*|\w+:\d+(:\d+)?)\}$/;
const PLAIN_SUM = /^\$\(\([\d\s+*/%()-]*\)\)$/;
/** Operators of `[[`: `-v` and `-R` take the name of a variable, the others evaluate arithmetic. */
const COMPUTING_TEST = /(?<![\w-])-(eq|ne|lt|le|gt|ge|v|R)(?![\w-])/;

/** `{NAME}>FILE` sets a variable, and the grammar sees a word. */
const NAMED_DESCRIPTOR = /(?<!\$)\{(?:[^{};\s]|\\\n)*\}(?:\\\n)*[<>]/;

/** Delimiters of here-documents for which the parser and a shell find the same end. */
const PLAIN_END = /^(\w+|'\w+'|"\w+"|\\\w+)$/;

interface Collected {
  readonly commands: SimpleCommand[];
  readonly redirects: Redirect[];
  readonly variables: string[];
  readonly unclear: string[];
  computes: boolean;
}

/** The words of `[ -f x ]`. */
function wordsOfTest(node: Node): readonly Word[] {
  const isFlat = (type: string): boolean => type === 'unary_expression' || type === 'binary_expression';
  const flat = (each: Node): readonly Word[] =>
    isFlat(each.type)
      ? each.children.flatMap(flat)
      : [each.isNamed && each.type !== 'test_operator' ? wordOf(each) : { text: each.text, becomes: 'exact' }];
  return node.children.slice(1).flatMap(flat);
}

function isComputing(node: Node): boolean {
  const { type, text } = node;
  if (type === 'expansion') return !PLAIN_EXPANSION.test(text);
  if (type === 'arithmetic_expansion') return !PLAIN_SUM.test(text);
  if (type === 'test_command')
    return text.startsWith('[[') ? COMPUTING_TEST.test(text) : text.startsWith('((') || !isPlainTest(wordsOfTest(node));
  if (type === 'array') return text.includes('[');
  return COMPUTING.has(type) || (type === 'compound_statement' && text.startsWith('(('));
}

const nameOfVariable = (assignment: Node): string => assignment.namedChildren[0]?.text ?? '';

function isFed(node: Node): boolean {
  const feeds = (child: Node): boolean =>
    child.type === 'heredoc_redirect' ||
    child.type === 'herestring_redirect' ||
    (child.type === 'file_redirect' && child.text.includes('<'));
  if (node.namedChildren.some(feeds)) return true;
  const parent = node.parent;
  if (parent === null || parent.type === 'program' || parent.type === 'command_substitution') return false;
  if (parent.type === 'pipeline' && parent.firstNamedChild?.id !== node.id) return true;
  return parent.type === 'heredoc_redirect' || isFed(parent);
}

function readCommand(node: Node, into: Collected): void {
  const words: Word[] = [];
  const variables: string[] = [];
  let name: Word = { text: '', becomes: 'many' };
  for (const child of node.namedChildren) {
    if (child.type === 'variable_assignment') variables.push(nameOfVariable(child));
    else if (child.type === 'command_name') name = wordOf(child);
    else if (!child.type.endsWith('_redirect')) words.push(wordOf(child));
  }
  into.commands.push({ name, words, variables, isFed: isFed(node) });
  walkAll(node, into);
}

/** The parser takes words after `>FILE` and `<<END` for parts of the redirection; they are words of the command. */
function seeMisplaced(node: Node, field: string, into: Collected): void {
  const allowed = field === 'destination' ? 1 : 0;
  if (node.childrenForFieldName(field).length > allowed) into.unclear.push('it has words after a redirection');
}

function readRedirect(node: Node, into: Collected): void {
  seeMisplaced(node, 'destination', into);
  const target = node.childForFieldName('destination');
  const isCopy = />&|<&/.test(node.text) && target !== null && /^([0-9]+|-)$/.test(target.text);
  if (target !== null && !isCopy) into.redirects.push({ target: wordOf(target), writes: node.text.includes('>') });
  walkAll(node, into);
}

const READERS: Readonly<Record<string, (node: Node, into: Collected) => void>> = {
  command: readCommand,
  file_redirect: readRedirect,
  heredoc_redirect: (node, into) => {
    seeMisplaced(node, 'argument', into);
    const start = node.namedChildren.find(({ type }) => type === 'heredoc_start')?.text ?? '';
    if (!PLAIN_END.test(start)) into.unclear.push('it has a here-document with an unusual end');
    walkAll(node, into);
  },
  declaration_command: (node, into) => {
    into.variables.push(
      ...node.namedChildren.filter(({ type }) => type === 'variable_name').map(({ text }) => text),
      ...node.namedChildren.filter(({ type }) => type === 'variable_assignment').map(nameOfVariable),
    );
    walkAll(node, into);
  },
  variable_assignment: (node, into) => {
    if (node.parent?.type !== 'command') into.variables.push(nameOfVariable(node));
    walkAll(node, into);
  },
  for_statement: (node, into) => {
    into.variables.push(nameOfVariable(node));
    walkAll(node, into);
  },
  variable_assignments: walkAll,
  function_definition: (node, into) => {
    into.unclear.push(
      `it defines the function ${node.namedChildren[0]?.text.slice(0, 64) ?? ''}, which may replace a program`,
    );
    walkAll(node, into);
  },
};

function walkAll(node: Node, into: Collected): void {
  for (const child of node.namedChildren) walk(child, into);
}

function walk(node: Node, into: Collected): void {
  into.computes ||= isComputing(node);
  const read = READERS[node.type];
  if (read !== undefined) return read(node, into);
  if (LEAVES.has(node.type)) return;
  if (!HOLDERS.has(node.type)) into.unclear.push(`it has the unsupported syntax ${node.type.replaceAll('_', ' ')}`);
  walkAll(node, into);
}

/** Every program, file and variable of a parsed text, in each branch, substitution and heredoc. */
export function readScript(text: string, root: Node): Script {
  const into: Collected = { commands: [], redirects: [], variables: [], unclear: [], computes: false };
  into.computes ||= NAMED_DESCRIPTOR.test(text);
  if (root.hasError) into.unclear.push('it cannot be parsed as a shell command');
  walk(root, into);
  const sign = unseenIn(text, root);
  if (sign !== null) into.unclear.push(`it has ${sign} where the parser sees text`);
  return into;
}
