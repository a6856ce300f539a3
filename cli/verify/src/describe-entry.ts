import { openRecord, SEALED_KINDS } from '@hamlet/core';

/** An entry in a few words for a person: what it is, and its id. */
export function describeEntry(leaf: Uint8Array): string {
  try {
    const record = openRecord(leaf);
    const [kind, xact, id] = [record.field(0), record.field(1), record.field(2)];
    const name = Object.entries(SEALED_KINDS).find(([, word]) => word === kind)?.[0] ?? String(kind);
    return `${name} ${String(id)} (transaction ${String(xact)})`;
  } catch {
    return 'bytes that are no entry';
  }
}
