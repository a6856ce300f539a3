import { useState } from 'react';
import { Button, Notice, OwnedNotice } from '../../../ui/controls.tsx';
import type { EditedManifests } from '../texts/use-manifests.ts';

/** Saves the changes of all files at once, or discards them. Text with problems stays in the tab: a run could not begin with it. */
export function SaveBar({ manifests, problems }: Readonly<{ manifests: EditedManifests; problems: number }>) {
  const { edits, conflicts, isMerged, saving, discard, save } = manifests;
  // The panel of conflicts shows this refusal.
  const refused = saving.refused?.code === 'manifests_changed' ? null : saving.refused;
  const ready = edits.size > 0 && conflicts.length === 0 && problems === 0 && !saving.busy;
  return (
    <div className="save-bar">
      {isMerged && (
        <Notice tone="info">Another person saved other files meanwhile. Your changes are on top of them.</Notice>
      )}
      {refused !== null && <OwnedNotice refused={refused} onTakeOver={() => void save('take_over')} />}
      <div className="button-row">
        <Button
          look="strong"
          word={saving.busy ? 'One moment…' : 'Save'}
          aria-disabled={!ready}
          title="Ctrl + S"
          data-action="save"
          onClick={() => ready && void save()}
        />
        {edits.size > 0 && <DiscardButton onDiscard={discard} />}
        <span className="save-state" role="status" data-unsaved={edits.size}>
          {stateWords({ unsaved: edits.size, problems, done: saving.done })}
        </span>
      </div>
      <p className="hint">Tab indents; Escape, then Tab, leaves the editor. F8 goes to the next problem.</p>
    </div>
  );
}

function DiscardButton({ onDiscard }: { readonly onDiscard: () => void }) {
  const [sure, setSure] = useState(false);
  return (
    <Button
      look={sure ? 'danger' : 'plain'}
      word={sure ? 'Discard all changes?' : 'Discard'}
      data-action="discard"
      onBlur={() => setSure(false)}
      onClick={() => {
        setSure(!sure);
        if (sure) onDiscard();
      }}
    />
  );
}

function stateWords({
  unsaved,
  problems,
  done,
}: Readonly<{ unsaved: number; problems: number; done: boolean }>): string {
  if (unsaved === 0) return done ? 'Saved. The next run uses these manifests.' : 'No unsaved changes.';
  const changes = unsaved === 1 ? 'One file has unsaved changes' : `${unsaved} files have unsaved changes`;
  return problems > 0 ? `${changes}. Correct the problems, then save.` : `${changes}.`;
}
