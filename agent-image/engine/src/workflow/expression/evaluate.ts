import type { ASTNode } from '@marcbachmann/cel-js';
import { isJsonObject } from '../../json/canonical-json.ts';
import { Fault } from './fault.ts';
import { FUNCTIONS, listOf, METHODS } from './functions.ts';
import { kindOf } from './json-value.ts';
import { MACROS, type Macro } from './macros.ts';
import { OPERATORS } from './operators.ts';
import type { Names, Place } from './place.ts';

const MAX_NAMED_KEYS = 8;

/** The value of a checked expression. Throws a `Fault` if it has none. */
export function valueOf(node: ASTNode, at: Place): unknown {
  at.work.spend(1);
  switch (node.op) {
    case 'value':
      return typeof node.args === 'bigint' ? Number(node.args) : node.args;
    case 'id':
      return named(node.args, at);
    case '.':
      return field(valueOf(node.args[0], at), node.args[1], at);
    case '[]':
      return element(valueOf(node.args[0], at), valueOf(node.args[1], at), at);
    case 'list':
      return node.args.map((item) => valueOf(item, at));
    case 'map':
      return Object.fromEntries(node.args.map(([key, value]) => [keyOf(valueOf(key, at)), valueOf(value, at)]));
    default:
      return computed(node, at);
  }
}

function computed(node: ASTNode, at: Place): unknown {
  switch (node.op) {
    case 'call':
      return node.args[0] === 'has' ? has(node.args[1][0], at) : called(node.args[0], node.args[1], at);
    case 'rcall':
      return method(node.args, at);
    case '?:':
      return valueOf(node.args[truth(valueOf(node.args[0], at)) ? 1 : 2], at);
    case '||':
      return either(node.args, at, true);
    case '&&':
      return either(node.args, at, false);
    case '!_':
      return !truth(valueOf(node.args, at));
    case '-_':
      return OPERATORS['-'](0, valueOf(node.args, at), at.work);
    default:
      return binary(node, at);
  }
}

function binary(node: ASTNode, at: Place): unknown {
  if (!(node.op in OPERATORS)) throw new Fault(`the operator ${node.op} is not known`);
  const [left, right] = node.args as readonly [ASTNode, ASTNode];
  return OPERATORS[node.op as keyof typeof OPERATORS](valueOf(left, at), valueOf(right, at), at.work);
}

function named(name: string, { names, scope }: Place): unknown {
  for (let place: Names | null = names; place !== null; place = place.outer) {
    if (place.name === name) return place.value;
  }
  const value = Object.hasOwn(scope, name) ? scope[name] : undefined;
  if (value === undefined) throw new Fault(`there is no ${name} here`);
  return value;
}

function field(value: unknown, name: string, { work }: Place): unknown {
  if (!isJsonObject(value))
    throw new Fault(`an object with the field ${name} is expected, but there is ${kindOf(value)}`);
  const found = Object.hasOwn(value, name) ? value[name] : undefined;
  if (found !== undefined) return found;
  const keys = Object.keys(value);
  work.spend(keys.length);
  const some = keys.slice(0, MAX_NAMED_KEYS).map((key) => key.slice(0, 64));
  const known = keys.length === 0 ? 'it is empty' : `it has ${some.join(', ')}${keys.length > some.length ? ' …' : ''}`;
  throw new Fault(`the object has no field ${name}: ${known}`);
}

function element(value: unknown, index: unknown, at: Place): unknown {
  if (typeof index === 'string') return field(value, index, at);
  const list = listOf(value);
  const found = typeof index === 'number' && Number.isInteger(index) ? list[index] : undefined;
  if (found !== undefined) return found;
  throw new Fault(
    `the list has no element ${typeof index === 'number' ? index : kindOf(index)}: it has ${list.length}`,
  );
}

function keyOf(key: unknown): string {
  if (typeof key === 'string') return key;
  throw new Fault(`a key of an object is a text, but there is ${kindOf(key)}`);
}

function truth(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new Fault(`true or false is expected, but there is ${kindOf(value)}`);
}

/** `has(a.b)`: `a` must exist. */
function has(node: ASTNode | undefined, at: Place): boolean {
  if (node?.op !== '.') throw new Fault('has() takes a field, as in has(output.score)');
  const value = valueOf(node.args[0], at);
  return isJsonObject(value) && Object.hasOwn(value, node.args[1]);
}

function called(name: string, args: readonly ASTNode[], at: Place): unknown {
  const rule = FUNCTIONS.get(name);
  if (rule === undefined) throw new Fault(`there is no function ${name}`);
  return rule.apply(
    args.map((arg) => valueOf(arg, at)),
    at.work,
  );
}

function method([name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]], at: Place): unknown {
  const macro = MACROS.get(name);
  if (macro !== undefined) return expanded(macro, { receiver, args, at });
  const rule = METHODS.get(name);
  if (rule === undefined) throw new Fault(`there is no function ${name}`);
  return rule.apply(
    [receiver, ...args].map((arg) => valueOf(arg, at)),
    at.work,
  );
}

type Use = Readonly<{ receiver: ASTNode; args: readonly ASTNode[]; at: Place }>;

/** The first argument names the variable, and the last one is computed for each element; `map` may have a filter between them. */
function expanded(macro: Macro, { receiver, args: [variable, ...bodies], at }: Use): unknown {
  if (variable?.op !== 'id') throw new Fault('the first argument of a macro is a name');
  const name = variable.args;
  const inside = (value: unknown): Place => ({ ...at, names: { name, value, outer: at.names } });
  const [body, last] = bodies;
  if (body === undefined) throw new Fault('a macro has a body');
  if (macro === 'bind') return valueOf(last ?? body, inside(valueOf(body, at)));
  const given = valueOf(receiver, at);
  const list = isJsonObject(given) ? Object.keys(given) : listOf(given);
  at.work.spend(list.length);
  const test = (value: unknown): boolean => truth(valueOf(body, inside(value)));
  if (macro !== 'map') return macro(list, test);
  const kept = last === undefined ? list : list.filter(test);
  return kept.map((value) => valueOf(last ?? body, inside(value)));
}

/** `||` (`decisive` is true) and `&&`: a side that decides hides a fault of the other one, as in CEL. */
function either([left, right]: readonly [ASTNode, ASTNode], at: Place, decisive: boolean): boolean {
  const first = attempt(() => truth(valueOf(left, at)));
  if (first === decisive) return decisive;
  const second = truth(valueOf(right, at));
  if (second === decisive) return decisive;
  if (first instanceof Fault) throw first;
  return !decisive;
}

function attempt(compute: () => boolean): boolean | Fault {
  try {
    return compute();
  } catch (error) {
    if (error instanceof Fault && !error.isFinal) return error;
    throw error;
  }
}
