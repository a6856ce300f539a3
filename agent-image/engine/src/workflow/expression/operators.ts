import type { BinaryOperator } from '@marcbachmann/cel-js';
import { isJsonObject } from '../../json/canonical-json.ts';
import { Fault } from './fault.ts';
import { madeText } from './functions.ts';
import { isEqual, kindOf } from './json-value.ts';
import type { Work } from './work.ts';

type Operator = (left: unknown, right: unknown, work: Work) => unknown;

/** The operators on two values. Numbers are those of JSON: `7 / 2` is 3.5, and `int(7 / 2)` is 3. */
export const OPERATORS: Readonly<Record<BinaryOperator, Operator>> = {
  '==': (left, right, work) => isEqual(left, right, work),
  '!=': (left, right, work) => !isEqual(left, right, work),
  in: isIn,
  '+': plus,
  '-': arithmetic('-', (left, right) => left - right),
  '*': arithmetic('*', (left, right) => left * right),
  '/': arithmetic('/', (left, right) => left / right),
  '%': arithmetic('%', (left, right) => left % right),
  '<': ordered('<', (order) => order < 0),
  '<=': ordered('<=', (order) => order <= 0),
  '>': ordered('>', (order) => order > 0),
  '>=': ordered('>=', (order) => order >= 0),
};

const unfit = (sign: string, left: unknown, right: unknown): Fault =>
  new Fault(`${kindOf(left)} ${sign} ${kindOf(right)} has no value: convert one side, as in double(x) or string(x)`);

const addNumbers = arithmetic('+', (left, right) => left + right);

function plus(left: unknown, right: unknown, work: Work): unknown {
  if (typeof left === 'string' && typeof right === 'string') return madeText(left + right, work);
  if (!Array.isArray(left) || !Array.isArray(right)) return addNumbers(left, right, work);
  work.spend(left.length + right.length);
  return [...left, ...right];
}

function arithmetic(sign: string, compute: (left: number, right: number) => number): Operator {
  return (left, right) => {
    if (typeof left !== 'number' || typeof right !== 'number') throw unfit(sign, left, right);
    const result = compute(left, right);
    if (!Number.isFinite(result)) throw new Fault(`${left} ${sign} ${right} is not a finite number`);
    const areWhole = Number.isInteger(left) && Number.isInteger(right) && Number.isInteger(result);
    if (areWhole && !Number.isSafeInteger(result)) throw new Fault(`${left} ${sign} ${right} is too large to be exact`);
    return result;
  };
}

function ordered(sign: string, holds: (order: number) => boolean): Operator {
  return (left, right, work) => {
    if (typeof left === 'number' && typeof right === 'number') return holds(left - right);
    if (typeof left !== 'string' || typeof right !== 'string') throw unfit(sign, left, right);
    work.spendText(Math.min(left.length, right.length));
    if (left === right) return holds(0);
    return holds(left < right ? -1 : 1);
  };
}

function isIn(value: unknown, container: unknown, work: Work): boolean {
  if (Array.isArray(container)) return container.some((element) => isEqual(value, element, work));
  if (isJsonObject(container) && typeof value === 'string') return Object.hasOwn(container, value);
  throw unfit('in', value, container);
}
