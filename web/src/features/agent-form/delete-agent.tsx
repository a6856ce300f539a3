import { type AgentDetail, deleteAgent, type GoesWith, getAgentSpec } from '@hamlet/contract';
import { useState } from 'react';
import { useIntent, useLive } from '../../client/query/use-live.ts';
import { Dialog, Icon, Unread } from '../../ui/controls.tsx';
import { ActionForm, Segments, TextField } from '../../ui/fields.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { useVillage } from '../village-context.ts';
import './agent-form.css';

const READ_MS = 60_000;
const VOLUMES = [
  { key: 'keep', word: 'Keep its volume' },
  { key: 'delete', word: 'Delete its volume' },
] as const;

type DeleteProps = Readonly<{ agent: Pick<AgentDetail, 'agent_id' | 'display_name'>; onClose: () => void }>;

/** Shows what a deletion affects, and asks for the name, because a deleted volume does not come back. */
export function DeleteAgent({ agent, onClose }: DeleteProps) {
  const { select } = useVillage();
  const id = agent.agent_id;
  const { data, refused } = useLive(getAgentSpec, { params: { agent_id: id } }, READ_MS);
  const sending = useIntent();
  const [volume, setVolume] = useState<'keep' | 'delete'>('keep');
  const [typed, setTyped] = useState('');
  const send = async (conflict: 'refuse' | 'take_over'): Promise<void> => {
    const input = {
      params: { agent_id: id },
      query: { on_conflict: conflict },
      body: { confirm: typed.trim(), volume },
    };
    if ((await sending.call(deleteAgent, input, JSON.stringify(input))) === null) return;
    onClose();
    select(null);
  };
  return (
    <Dialog title={`Delete ${agent.display_name}`} className="agent-delete" onClose={onClose} onCross={onClose}>
      {data === null ? (
        <Unread refused={refused} word="Finding what would be deleted…" />
      ) : (
        <ActionForm
          label={`Delete ${agent.display_name}`}
          sending={sending}
          ready={typed.trim() === id}
          word={`Delete ${agent.display_name}`}
          danger
          onSend={() => void send('refuse')}
          onTakeOver={() => void send('take_over')}
          onCancel={onClose}
        >
          <Effects effects={data.goes_with} />
          <Segments label="Its volume" items={VOLUMES} value={volume} onChange={setVolume} />
          <TextField
            label={
              <span>
                Write <code>{id}</code> to confirm
              </span>
            }
            name="confirm"
            spellCheck={false}
            value={typed}
            onChange={setTyped}
          />
        </ActionForm>
      )}
    </Dialog>
  );
}

const FATES: Readonly<Record<GoesWith['fate'], Readonly<{ icon: IconName; word: string }>>> = {
  chosen: { icon: 'hand', word: 'Your choice' },
  ends: { icon: 'stop', word: 'Ends' },
  stays: { icon: 'check', word: 'Stays' },
};

function Effects({ effects }: { readonly effects: readonly GoesWith[] }) {
  return (
    <ul className="agent-effects">
      {effects.map(({ kind, fate, line, names }) => (
        <li key={kind} data-goes={kind}>
          <Icon name={FATES[fate].icon} size={14} />
          <span>
            <b>{FATES[fate].word}:</b> {line}
            {names.length > 0 && <small> ({names.join(', ')})</small>}
          </span>
        </li>
      ))}
    </ul>
  );
}
