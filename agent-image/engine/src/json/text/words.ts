/** Words and numbers that stand in a document without quotes. */
import { Fault } from './fault.ts';
import { admits, typesOf, type Guide } from '../guide.ts';
import { numeralOf, type Numeral } from '../numeral.ts';
import type { RepairAction } from '../repair.ts';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Numbers of other languages: `+5`, `.5`, `5.`, `1_000`. */
const OTHER_NUMBER = /^[+-]?(?:\d{1,3}(?:_\d{3})+|\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const LEADING_ZERO = /^[+-]?0\d/;
const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['none', null],
]);
const NAME = /^[A-Za-z_][\w.-]*$/;
/** Values of other languages that JSON cannot express. */
const FOREIGN = /^(?:nan|-?inf(?:inity)?|undefined|nil|nul|void|n\.?a\.?|nat)$/i;

export type Word = Readonly<{
  word: string;
  guide: Guide | null;
  isElement: boolean;
  text: string;
  at: number;
  act: (action: RepairAction) => void;
}>;

/** The value that a word means. Throws a fault if that is not certain. */
export function meantByWord(given: Word): number | Numeral | boolean | null | string {
  const { word, act, text, at } = given;
  if (NUMBER.test(word)) return numeralOf(word);
  const literal = LITERALS.get(word.toLowerCase());
  if (literal !== undefined) {
    if (word !== String(literal)) act('literals_replaced');
    return literal;
  }
  if (FOREIGN.test(word)) throw new Fault(`${word} is not a value of JSON`, text, at);
  const isText = typesOf(given.guide).has('string') && /^[\p{L}\p{N}+-]/u.test(word);
  if (!isText && isOtherNumber(word)) return otherNumber(given);
  if (!isText && !isPlainName(given)) throw new Fault('a text must stand in double quotes', text, at);
  act('quotes_added');
  return word;
}

/** True for a word that can only be the text of a member. */
const isPlainName = ({ word, guide, isElement }: Word): boolean =>
  !isElement && NAME.test(word) && admits(typesOf(guide), word);

const isOtherNumber = (word: string): boolean => OTHER_NUMBER.test(word) && !LEADING_ZERO.test(word);

function otherNumber({ word, act }: Word): number | Numeral {
  act('numbers_rewritten');
  const plain = word.replaceAll('_', '').replace(/^\+/, '');
  const whole = plain.replace(/^(-?)\./, '$10.').replace(/\.(?=$|[eE])/, '');
  return numeralOf(whole);
}
