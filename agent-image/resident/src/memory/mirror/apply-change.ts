import type { MemoryChangeRefusal, MemoryCommand } from '@hamlet/contract';
import type { Memory, NewFact, Remembered } from '@hamlet/engine/memory';

/** Applies a person's change, or says why not; repeated, it has no further effect. */
export async function applyChange(memory: Memory, command: MemoryCommand): Promise<MemoryChangeRefusal | null> {
  const { memory_id: id } = command;
  switch (command.op) {
    case 'forget':
      if (!(await memory.documents.remove(id, { audience: 'keeper' }))) memory.bury([id]);
      return null;
    case 'pin': {
      const result = command.pinned ? memory.pin(id, { audience: 'keeper' }) : memory.unpin(id, { audience: 'keeper' });
      return result === 'done' ? null : result;
    }
    case 'correct':
      return correct(memory, command);
  }
}

type Correction = Extract<MemoryCommand, { op: 'correct' }>;
type Fact = Extract<Remembered, { kind: 'fact' }>;

async function correct(memory: Memory, command: Correction): Promise<MemoryChangeRefusal | null> {
  const known = memory.get(command.memory_id, { audience: 'keeper' });
  if (known?.kind !== 'fact') return 'no_such_memory';
  const [result] = await memory.remember([correctionOf(known, command)]);
  if (result?.outcome !== 'refused') return null;
  if (result.reason === 'full') return 'memory_full';
  return result.reason === 'no_such_memory' ? 'no_such_memory' : 'not_kept';
}

const correctionOf = (known: Fact, { memory_id: id, new_id: newId, text }: Correction): NewFact => {
  const { subject, audience, layer, repository, importance, pinned } = known;
  const kept = { subject, audience, layer, repository, pinned, importance: Math.max(importance, CORRECTED_IMPORTANCE) };
  return { ...kept, kind: 'fact', id: newId, text, supersedes: id };
};
const CORRECTED_IMPORTANCE = 0.8;

/** The memories of which a change may have changed the copy that people see. Pure. */
export const idsOfChange = (command: MemoryCommand): readonly string[] =>
  command.op === 'correct' ? [command.memory_id, command.new_id] : [command.memory_id];
