import type { ASTNode } from '@marcbachmann/cel-js';
import { FUNCTIONS, METHODS } from './functions.ts';
import { MACROS } from './macros.ts';

/** `names`: of the scope and of the macros around a node. `stages`: ids that an expression may name; null for any. */
export type KnownNames = Readonly<{ names: ReadonlySet<string>; stages: ReadonlySet<string> | null }>;

/** The receiver of `cel.bind(name, value, body)`. */
const NAMESPACE = 'cel';
const MACRO_ARGUMENTS: Readonly<Record<string, readonly number[]>> = { map: [2, 3], bind: [3] };

type Method = readonly [name: string, receiver: ASTNode, args: readonly ASTNode[]];

/**
 * The first fault in the names, functions and numbers of arguments of an expression; null if there is none. A manifest with one is refused
 * when it is read. Pure.
 */
export function expressionProblem(node: ASTNode, known: KnownNames): string | null {
  const problem = problemOf(node, known);
  if (problem !== null) return problem;
  if (node.op === 'rcall' && MACROS.has(node.args[0])) return problemInMacro(node.args, known);
  return firstProblem(childrenOf(node.args), known);
}

function firstProblem(nodes: readonly ASTNode[], known: KnownNames): string | null {
  for (const node of nodes) {
    const problem = expressionProblem(node, known);
    if (problem !== null) return problem;
  }
  return null;
}

/** The value of `cel.bind` is outside of its name, and so is the list of another macro. */
function problemInMacro([name, receiver, [variable, ...bodies]]: Method, known: KnownNames): string | null {
  const outside = name === 'bind' ? bodies.slice(0, 1) : [receiver];
  const inside = name === 'bind' ? bodies.slice(1) : bodies;
  const names = new Set([...known.names, ...(variable?.op === 'id' ? [variable.args] : [])]);
  return firstProblem(outside, known) ?? firstProblem(inside, { ...known, names });
}

/** The nodes in the operands of a node, which are nodes, lists of them, or pairs in lists. */
function childrenOf(args: unknown): readonly ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return isNode(args) ? [args] : [];
}

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value;

function problemOf(node: ASTNode, known: KnownNames): string | null {
  switch (node.op) {
    case 'value':
      return literalProblem(node.args);
    case 'id':
      return known.names.has(node.args) ? null : `there is no ${node.args} here: use ${[...known.names].join(', ')}`;
    case 'call':
      return functionProblem(node.args[0], node.args[1]);
    case 'rcall':
      return MACROS.has(node.args[0]) ? macroProblem(node.args) : methodProblem(node.args);
    case '.':
    case '[]':
      return stageProblem(node.args, known);
    default:
      return null;
  }
}

function literalProblem(value: unknown): string | null {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? null : `the integer ${value} is too large to be exact`;
  }
  if (typeof value !== 'object' || value === null) return null;
  return 'bytes and unsigned numbers are not JSON: write a text, or a number without u';
}

function functionProblem(name: string, args: readonly ASTNode[]): string | null {
  if (name === 'has') {
    return args.length === 1 && args[0]?.op === '.' ? null : 'has takes one field, as in has(output.score)';
  }
  return countProblem(name, FUNCTIONS, args.length);
}

const methodProblem = ([name, , args]: Method): string | null => countProblem(name, METHODS, args.length);

type Rules = ReadonlyMap<string, Readonly<{ least: number; most: number }>>;

function countProblem(name: string, rules: Rules, count: number): string | null {
  const rule = rules.get(name);
  if (rule === undefined) {
    const known = rules === METHODS ? [...rules.keys(), ...MACROS.keys()] : ['has', ...rules.keys()];
    return `there is no function ${name} here: use ${known.join(', ')}`;
  }
  return count >= rule.least && count <= rule.most ? null : `${name} takes another number of arguments than ${count}`;
}

function macroProblem([name, receiver, args]: Method): string | null {
  const counts = MACRO_ARGUMENTS[name] ?? [2];
  if (!counts.includes(args.length)) return `${name} takes ${counts.join(' or ')} arguments, the first one a name`;
  const isBound = receiver.op === 'id' && receiver.args === NAMESPACE;
  return name === 'bind' && !isBound ? 'write cel.bind(name, value, expression)' : null;
}

/** `stages.<id>` and `stages['<id>']` name a stage that exists. */
function stageProblem([left, right]: readonly [ASTNode, ASTNode | string], { stages }: KnownNames): string | null {
  if (stages === null || left.op !== 'id' || left.args !== 'stages') return null;
  const id = typeof right === 'string' ? right : literalText(right);
  return id === null || stages.has(id)
    ? null
    : `there is no stage ${id}: correct its id, or write stages['a.b'] if it has dots`;
}

const literalText = (node: ASTNode): string | null =>
  node.op === 'value' && typeof node.args === 'string' ? node.args : null;
