/** Timing of the election, with a clock that the test moves and a Lease in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { KubeObject } from '../client/kube-object.ts';
import { KubeError } from '../client/kube-error.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { Elector, NotLeaderError, type LeasePort } from './elector.ts';
import { LEASE_TIMES, type Lease } from './lease-step.ts';

const refused = (status: number): KubeError => new KubeError({ status, reason: 'x', message: 'x' });

/** Resolves never; rejects when the signal is aborted. */
const silence = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal?.aborted === true) reject(new Error('aborted'));
    else signal?.addEventListener('abort', () => reject(new Error('aborted')));
  });

/** A Lease in memory. Its watch reports nothing, so that the election depends on the clock alone. */
class MemoryLease {
  readonly clock = new FakeClock();
  readonly errors: string[] = [];
  /** Times of all writes that arrived, in ms. */
  readonly asked: number[] = [];
  lease: Lease | undefined;
  answers: 'well' | 'with errors' | 'never' = 'well';
  readonly elector: Elector;
  #version = 0;

  constructor(spec?: NonNullable<Lease['spec']>) {
    if (spec !== undefined) this.put(spec);
    this.elector = new Elector({
      client: this.#port(),
      namespace: 'n',
      name: 'operator',
      holder: 'me',
      clock: this.clock,
      onError: (error) => this.errors.push(String(error)),
    });
  }

  put(spec: NonNullable<Lease['spec']>): Lease {
    this.#version += 1;
    this.lease = {
      metadata: { name: 'operator', namespace: 'n', uid: 'u', resourceVersion: String(this.#version) },
      spec,
    };
    return this.lease;
  }

  /** Moves the clock in steps of 100 ms; after each, all waiting work continues. */
  async pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 100) {
      this.clock.pass(Math.min(100, milliseconds - passed));
      await this.settle();
    }
  }

  async settle(): Promise<void> {
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();
  }

  /** Stops the elector; a request without an answer ends at its timeout. */
  async stop(): Promise<void> {
    this.answers = 'well';
    const stopped = this.elector.stop();
    await this.pass(LEASE_TIMES.renewDeadlineMs);
    await stopped;
  }

  #port(): LeasePort {
    const write = async (object: object, signal: AbortSignal | undefined): Promise<Lease> => {
      this.asked.push(this.clock.now());
      await this.#answer(signal);
      const { metadata, spec = {} } = object as Lease;
      if (this.lease !== undefined && metadata.resourceVersion !== this.lease.metadata.resourceVersion)
        throw refused(409);
      return this.put(spec);
    };
    return {
      get: async <T extends KubeObject>(_type: unknown, { signal }: { readonly signal?: AbortSignal }) => {
        await this.#answer(signal);
        if (this.lease === undefined) throw refused(404);
        return this.lease as KubeObject as T;
      },
      create: async <T>(_type: unknown, object: object, { signal }: { readonly signal?: AbortSignal }) =>
        (await write(object, signal)) as T,
      replace: async <T extends KubeObject>(
        _type: unknown,
        object: object,
        { signal }: { readonly signal?: AbortSignal },
      ) => (await write(object, signal)) as KubeObject as T,
      list: (_type, { signal }) => silence(signal),
      watch: async function* watch(_type, { signal }) {
        yield await silence(signal);
      },
    };
  }

  async #answer(signal: AbortSignal | undefined): Promise<void> {
    if (this.answers === 'never') await silence(signal);
    if (this.answers === 'with errors') throw refused(500);
  }
}

async function leading(): Promise<MemoryLease> {
  const memory = new MemoryLease();
  memory.elector.start();
  await memory.elector.elected;
  await memory.settle();
  return memory;
}

test('the first process creates the Lease, and renews it every two seconds', async () => {
  const memory = await leading();
  await memory.pass(6_000);
  assert.deepEqual(memory.asked, [0, 2_000, 4_000, 6_000]);
  assert.equal(memory.lease?.spec?.leaseTransitions, 0);
  await memory.stop();
});

test('after a failed renewal the leader retries each second', async () => {
  const memory = await leading();
  memory.answers = 'with errors';
  await memory.pass(5_000);
  assert.deepEqual([memory.asked, memory.errors.length], [[0, 2_000, 3_000, 4_000, 5_000], 4]);
  await memory.stop();
});

test('a leader without a renewal for 4 s stops leading; writes wait and continue after the next renewal', async () => {
  const memory = await leading();
  const { elector } = memory;
  memory.answers = 'never';
  await memory.pass(LEASE_TIMES.renewDeadlineMs - 1);
  assert.equal(elector.leads, true);
  await memory.pass(1);
  assert.equal(elector.leads, false);
  let mayWrite = false;
  const waiting = elector.leadership().then(() => (mayWrite = true));
  await memory.pass(900);
  assert.equal(mayWrite, false);
  memory.answers = 'well';
  await memory.pass(1_100);
  await waiting;
  assert.equal(elector.leads, true);
  await memory.stop();
});

test('a renewal without an answer is aborted in time for a second attempt before the deadline', async () => {
  const memory = await leading();
  memory.answers = 'never';
  await memory.pass(5_000);
  assert.deepEqual(memory.asked, [0, 2_000, 5_000]);
  await memory.stop();
});

test("another process takes the lease once it has not changed for its duration by that process's clock", async () => {
  const spec = { holderIdentity: 'other', leaseDurationSeconds: 6, leaseTransitions: 3 };
  const memory = new MemoryLease(spec);
  memory.elector.start();
  await memory.settle();
  await memory.pass(3_000);
  memory.put({ ...spec, renewTime: '2001-01-01T00:00:00.000000Z' });
  await memory.pass(6_900);
  assert.deepEqual([memory.asked, memory.elector.leads], [[], false], 'it saw the renewal at 4 s');
  await memory.pass(100);
  assert.equal((await memory.elector.elected).transitions, 4);
  assert.deepEqual(memory.asked, [10_000]);
  await memory.stop();
});

test('the last poll before the end of the lease comes when the lease ends', async () => {
  const memory = new MemoryLease({ holderIdentity: 'other', leaseDurationSeconds: 1 });
  memory.elector.start();
  await memory.settle();
  await memory.pass(1_000);
  assert.deepEqual(memory.asked, [1_000]);
  await memory.stop();
});

test('a process that stops releases only its own lease', async () => {
  const memory = await leading();
  await memory.stop();
  assert.deepEqual([memory.lease?.spec?.holderIdentity, memory.lease?.spec?.leaseDurationSeconds], ['', 1]);
  const other = new MemoryLease({ holderIdentity: 'other', leaseDurationSeconds: 6 });
  other.elector.start();
  await other.settle();
  await other.stop();
  assert.deepEqual([other.asked, other.lease?.spec?.holderIdentity], [[], 'other']);
});

test('after resign no writes are allowed, and the lease can still be released', async () => {
  const memory = await leading();
  memory.elector.resign();
  assert.equal(memory.elector.leads, false);
  await assert.rejects(memory.elector.leadership(), NotLeaderError);
  assert.notEqual(memory.lease?.spec?.holderIdentity, '');
  await memory.stop();
  assert.equal(memory.lease?.spec?.holderIdentity, '');
});

test('a leader that finds another holder at a renewal loses the lease', async () => {
  const memory = await leading();
  memory.put({ holderIdentity: 'thief', leaseDurationSeconds: 6, leaseTransitions: 1 });
  await memory.pass(2_000);
  await memory.elector.lost;
  await assert.rejects(memory.elector.leadership(), NotLeaderError);
  await memory.stop();
  assert.equal(memory.lease?.spec?.holderIdentity, 'thief');
});
