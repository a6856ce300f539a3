import { isMap, isPair, isScalar, isSeq, type Node, type Range } from 'yaml';
import type { YamlFault } from './yaml-tokens.ts';

/** Values that YAML has and JSON does not, and keys that JavaScript reads as something else. In the order of the text. Pure. */
export function valueFaults(contents: Node | null): readonly YamlFault[] {
  const faults: YamlFault[] = [];
  const open: unknown[] = [contents];
  while (open.length > 0) {
    const at = open.pop();
    const fault = faultOf(at);
    if (fault !== null) faults.push(fault);
    for (const part of partsOf(at)) open.push(part);
  }
  return faults.toSorted((a, b) => a.offset - b.offset);
}

function partsOf(node: unknown): readonly unknown[] {
  if (isMap(node) || isSeq(node)) return node.items;
  return isPair(node) ? [node.value] : [];
}

function faultOf(node: unknown): YamlFault | null {
  if (isPair(node) && isScalar(node.key) && node.key.value === '__proto__')
    return faultAt(node.key, 'the key __proto__ is refused', 'Use another key.');
  if (isScalar(node) && typeof node.value === 'number' && !isExact(node.value))
    return faultAt(node, 'JSON has no such number', 'Put it in quotes if it is a text.');
  return null;
}

/** False for infinity and NaN, and for whole numbers that lose digits. */
const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

const faultAt = ({ range }: { range?: Range | null | undefined }, message: string, hint: string): YamlFault => ({
  kind: 'syntax',
  offset: range?.[0] ?? 0,
  message,
  hint,
});
