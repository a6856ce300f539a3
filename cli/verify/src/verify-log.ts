import type { Checkpoint, Edge, SealedSide, TileAddress } from '@hamlet/core';
import {
  EMPTY_EDGE,
  growEdge,
  HASH_BYTES,
  hashAt,
  leafHash,
  openRecord,
  readEntryBundle,
  rootOf,
  sameBytes,
  SEALED_KINDS,
  sidesOf,
  tilesOfLevel,
} from '@hamlet/core';
import type { LogSource } from './log-source.ts';
import { PLATFORM } from './platform.ts';

const { sha256 } = PLATFORM;
/** Number of tiles to fetch ahead. */
const AHEAD = 8;

/** The checkpoints and hashes that the log must match. */
export interface Reference {
  /** Checkpoints in order of size, without duplicates, all with a valid signature. */
  readonly checkpoints: readonly Checkpoint[];
  /** Sealed hashes of entries, which give the root of the last checkpoint in their range; empty if unknown. */
  readonly hashes: Uint8Array;
  /** Size of the source's own checkpoint if it contradicts a kept one of the same size. */
  readonly contradicted: number | null;
}

export type Verdict =
  | { readonly ok: true; readonly entries: number; readonly transfers: number; readonly waiting: number }
  | { readonly ok: false; readonly position: number; readonly until: number; readonly what: string };

interface Run {
  readonly reference: Reference;
  readonly books: Books;
  edge: Edge;
  /** Size of the last checkpoint that matched. */
  good: number;
}

const difference = (position: number, what: string): Verdict => ({ ok: false, position, until: position + 1, what });

function describeEntry(leaf: Uint8Array): string {
  try {
    const record = openRecord(leaf);
    const [kind, xact, id] = [record.field(0), record.field(1), record.field(2)];
    const name = Object.entries(SEALED_KINDS).find(([, word]) => word === kind)?.[0] ?? String(kind);
    return `${name} ${String(id)} (transaction ${String(xact)})`;
  } catch {
    return 'unreadable bytes';
  }
}

/** Describes a difference by comparing an entry with its neighbours. An entry contains its position, so a moved entry counts as changed. */
function nameDifference(
  at: { readonly index: number; readonly position: number },
  leaves: readonly Uint8Array[],
  sealed: Uint8Array,
): string {
  const { index, position } = at;
  const [now, next] = leaves.slice(index, index + 2);
  const isSealedAt = (leaf: Uint8Array | undefined, place: number): boolean =>
    leaf !== undefined && sameBytes(leafHash(leaf, sha256), hashAt(sealed, place));
  const text = describeEntry(now ?? new Uint8Array(0));
  if (isSealedAt(now, position + 1)) return `an entry is missing, and the next one is in its place: ${text}`;
  if (isSealedAt(next, position)) return `an entry was inserted: ${text}`;
  return `the entry differs from the sealed one: ${text}`;
}

/** Compares each entry with its hash and adds it to the books. Returns the first difference, or null. */
function takeEntries(
  { books, reference, edge }: Run,
  leaves: readonly Uint8Array[],
  hashes: Uint8Array,
): Verdict | null {
  for (const [index, leaf] of leaves.entries()) {
    const hash = leafHash(leaf, sha256);
    hashes.set(hash, index * HASH_BYTES);
    const position = edge.size + index;
    if (
      (position + 1) * HASH_BYTES <= reference.hashes.length &&
      !sameBytes(hash, hashAt(reference.hashes, position))
    ) {
      return difference(position, nameDifference({ index, position }, leaves, reference.hashes));
    }
    const fault = books.take(leaf);
    if (fault !== null) return difference(position, fault);
  }
  return null;
}

/** Extends the tree and compares it with each checkpoint on the way. */
function compareRoots(run: Run, hashes: Uint8Array): Verdict | null {
  const end = run.edge.size + hashes.length / HASH_BYTES;
  const start = run.edge.size;
  const due = run.reference.checkpoints.filter(({ size }) => size > start && size <= end);
  for (const { size, root } of due) {
    run.edge = growEdge(
      run.edge,
      hashes.subarray((run.edge.size - start) * HASH_BYTES, (size - start) * HASH_BYTES),
      sha256,
    ).edge;
    if (!sameBytes(rootOf(run.edge, sha256), root)) {
      return {
        ok: false,
        position: run.good,
        until: size,
        what: `the first ${size} entries do not match their checkpoint; the first ${run.good} do`,
      };
    }
    run.good = size;
  }
  run.edge = growEdge(run.edge, hashes.subarray((run.edge.size - start) * HASH_BYTES), sha256).edge;
  return null;
}

/**
 * Compares every entry with its hash, the tree with every checkpoint, and the balances with the entries, up to the
 * first difference.
 */
export async function verifyLog(source: LogSource, reference: Reference): Promise<Verdict> {
  const size = reference.checkpoints.at(-1)?.size ?? 0;
  const run: Run = { reference, books: new Books(), edge: EMPTY_EDGE, good: 0 };
  const tiles = tilesOfLevel(size, 0);
  const waiting: Promise<Uint8Array | null>[] = [];
  for (const tile of tiles) {
    while (waiting.length < AHEAD && tile.number + waiting.length < tiles.length)
      waiting.push(fetchAhead(source, tiles[tile.number + waiting.length]));
    const bundle = (await waiting.shift()) ?? null;
    const verdict = takeTile(run, tile, bundle);
    if (verdict !== null) return verdict;
  }
  const { contradicted } = reference;
  if (contradicted !== null)
    return {
      ok: false,
      position: 0,
      until: contradicted,
      what: 'the entries match the kept checkpoints, and the newest checkpoint of the village contradicts them',
    };
  return { ok: true, entries: run.edge.size, transfers: run.books.transfers, waiting: run.books.waiting };
}

async function fetchAhead(source: LogSource, tile: TileAddress | undefined): Promise<Uint8Array | null> {
  return tile === undefined ? null : source.entries(tile);
}

/** Reports a tile with too few or too many entries. All present entries matched their hashes, if known, so the fault is after them. */
function countFault({ edge, reference }: Run, tile: TileAddress, count: number): Verdict | null {
  if (count === tile.width) return null;
  const known = (edge.size + Math.min(count, tile.width)) * HASH_BYTES <= reference.hashes.length;
  const text =
    count < tile.width ? `${tile.width - count} entries are missing` : `${count - tile.width} entries are surplus`;
  return {
    ok: false,
    position: edge.size + (known ? Math.min(count, tile.width) : 0),
    until: edge.size + tile.width,
    what: text,
  };
}

function takeTile(run: Run, tile: TileAddress, bundle: Uint8Array | null): Verdict | null {
  const leaves = bundle === null ? [] : readEntryBundle(bundle);
  if (leaves === null) return difference(run.edge.size, 'the entries cannot be read');
  const hashes = new Uint8Array(leaves.length * HASH_BYTES);
  return takeEntries(run, leaves, hashes) ?? countFault(run, tile, leaves.length) ?? compareRoots(run, hashes);
}

interface Account {
  version: bigint;
  balance: bigint;
  /**
   * Entries that wait for an earlier entry of their account. The log is in the order in which transactions began, not
   * in the order of postings.
   */
  readonly ahead: Map<bigint, SealedSide>;
}

/** Balances of all accounts, derived from the entries of the log. Mutable: it accumulates entries. */
class Books {
  readonly #accounts = new Map<bigint, Account>();
  #transfers = 0;

  get transfers(): number {
    return this.#transfers;
  }

  /** Number of entries that wait for an earlier entry of their account that is not sealed yet. */
  get waiting(): number {
    return [...this.#accounts.values()].reduce((sum, { ahead }) => sum + ahead.size, 0);
  }

  /** Adds an entry of the log. Returns its fault, or null. */
  take(leaf: Uint8Array): string | null {
    const sides = sidesOf(openRecord(leaf));
    if (sides === null) return null;
    this.#transfers += 1;
    for (const side of sides) {
      const fault = this.#takeSide(side);
      if (fault !== null) return fault;
    }
    return null;
  }

  #takeSide(side: SealedSide): string | null {
    if (side.balanceAfter === null) return `the entry ${side.version} of ${side.owner} does not mirror its transfer`;
    const account = this.#accounts.get(side.account) ?? {
      version: 0n,
      balance: 0n,
      ahead: new Map<bigint, SealedSide>(),
    };
    this.#accounts.set(side.account, account);
    if (side.version <= account.version || account.ahead.has(side.version))
      return `${side.owner} has an entry ${side.version} twice`;
    account.ahead.set(side.version, side);
    for (
      let next = account.ahead.get(account.version + 1n);
      next !== undefined;
      next = account.ahead.get(account.version + 1n)
    ) {
      account.ahead.delete(next.version);
      account.version = next.version;
      account.balance += next.amount;
      if (account.balance !== next.balanceAfter)
        return `the balance of ${next.owner} after its entry ${next.version} is ${next.balanceAfter}, and its entries sum to ${account.balance}`;
    }
    return null;
  }
}
