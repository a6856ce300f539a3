import type { Node } from 'web-tree-sitter';

/** A word of a command. Its text is exact only if it is literal, without expansion, substitution or pattern. */
export interface Word {
  readonly text: string;
  readonly isLiteral: boolean;
}

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
  readonly variables: readonly string[];
  /** Parts that the reader did not understand, each as a sentence. */
  readonly unclear: readonly string[];
}

/** Nodes that only contain others. An unlisted kind makes the script unclear. */
const HOLDERS = new Set([
  'program',
  'list',
  'pipeline',
  'redirected_statement',
  'subshell',
  'compound_statement',
  'negated_command',
  'if_statement',
  'elif_clause',
  'else_clause',
  'while_statement',
  'c_style_for_statement',
  'do_group',
  'case_statement',
  'case_item',
  'test_command',
  'unary_expression',
  'binary_expression',
  'parenthesized_expression',
  'postfix_expression',
  'command_substitution',
  'process_substitution',
  'string',
  'concatenation',
  'arithmetic_expansion',
  'expansion',
  'simple_expansion',
  'heredoc_redirect',
  'heredoc_body',
  'herestring_redirect',
  'unset_command',
  'translated_string',
  'array',
  'command_name',
  'ternary_expression',
]);
/** Nodes that contain no commands. */
const LEAVES = new Set([
  'word',
  'raw_string',
  'string_content',
  'number',
  'variable_name',
  'special_variable_name',
  'test_operator',
  'heredoc_start',
  'heredoc_end',
  'heredoc_content',
  'comment',
  'regex',
  'extglob_pattern',
  'file_descriptor',
  'brace_expression',
  'ansi_c_string',
]);
const PATTERN = /(?<!\\)[*?[\]{}]|^~/;
const LITERAL_STRING = new Set(['string_content']);

const unescaped = (text: string): string =>
  text.replace(/\\(.)/gs, (_, escaped: string) => (escaped === '\n' ? '' : escaped));

/** In double quotes, a backslash escapes only these. */
const unescapedInQuotes = (text: string): string =>
  text.replace(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped));

function wordOf(node: Node): Word {
  switch (node.type) {
    case 'number':
    case 'word':
      return { text: unescaped(node.text), isLiteral: !PATTERN.test(node.text) };
    case 'raw_string':
      return { text: node.text.slice(1, -1), isLiteral: true };
    case 'string':
      return {
        text: unescapedInQuotes(node.text.slice(1, -1)),
        isLiteral: node.namedChildren.every((child) => LITERAL_STRING.has(child.type)),
      };
    case 'command_name':
    case 'concatenation': {
      const parts = node.namedChildren.map(wordOf);
      const covered = node.namedChildren.reduce((sum, child) => sum + child.text.length, 0) === node.text.length;
      return {
        text: parts.map(({ text }) => text).join(''),
        isLiteral: covered && parts.every(({ isLiteral }) => isLiteral),
      };
    }
    default:
      return { text: node.text, isLiteral: false };
  }
}

interface Collected {
  readonly commands: SimpleCommand[];
  readonly redirects: Redirect[];
  readonly variables: string[];
  readonly unclear: string[];
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
  let name: Word = { text: '', isLiteral: false };
  for (const child of node.namedChildren) {
    if (child.type === 'variable_assignment') variables.push(nameOfVariable(child));
    else if (child.type === 'command_name') name = wordOf(child);
    else if (!child.type.endsWith('_redirect')) words.push(wordOf(child));
  }
  into.commands.push({ name, words, variables, isFed: isFed(node) });
  for (const child of node.namedChildren) walk(child, into);
}

function readRedirect(node: Node, into: Collected): void {
  const target = node.childForFieldName('destination');
  const isCopy = />&|<&/.test(node.text) && target !== null && /^([0-9]+|-)$/.test(target.text);
  if (target !== null && !isCopy) into.redirects.push({ target: wordOf(target), writes: node.text.includes('>') });
  for (const child of node.namedChildren) walk(child, into);
}

/** `export A=1`: the variables, and the flags, some of which change the meaning of names. */
function readDeclaration(node: Node, into: Collected): void {
  for (const child of node.namedChildren) {
    if (child.type === 'variable_assignment') into.variables.push(nameOfVariable(child));
    else if (child.type === 'variable_name') into.variables.push(child.text);
    walk(child, into);
  }
}

const READERS: Readonly<Record<string, (node: Node, into: Collected) => void>> = {
  command: readCommand,
  file_redirect: readRedirect,
  declaration_command: readDeclaration,
  variable_assignment: (node, into) => {
    if (node.parent?.type !== 'command' && node.parent?.type !== 'declaration_command')
      into.variables.push(nameOfVariable(node));
    for (const child of node.namedChildren.slice(1)) walk(child, into);
  },
  for_statement: (node, into) => {
    into.variables.push(nameOfVariable(node));
    for (const child of node.namedChildren.slice(1)) walk(child, into);
  },
  variable_assignments: (node, into) => node.namedChildren.forEach((child) => walk(child, into)),
  function_definition: (node, into) => {
    into.unclear.push(
      `it defines the function ${node.namedChildren[0]?.text.slice(0, 64) ?? ''}, which may replace a program`,
    );
    for (const child of node.namedChildren.slice(1)) walk(child, into);
  },
};

function walk(node: Node, into: Collected): void {
  const read = READERS[node.type];
  if (read !== undefined) return read(node, into);
  if (LEAVES.has(node.type)) return;
  if (!HOLDERS.has(node.type)) into.unclear.push(`it has the unsupported syntax ${node.type.replaceAll('_', ' ')}`);
  for (const child of node.namedChildren) walk(child, into);
}

/** Every program, file and variable of a parsed text, in each branch, substitution and heredoc. */
export function readScript(root: Node): Script {
  const into: Collected = { commands: [], redirects: [], variables: [], unclear: [] };
  if (root.hasError) into.unclear.push('it cannot be parsed as a shell command');
  walk(root, into);
  return into;
}
