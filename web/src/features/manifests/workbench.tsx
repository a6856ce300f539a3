import type { AgentDetail } from '@hamlet/contract';
import { type ConfigError, placeOfStage } from '@hamlet/engine/manifests';
import { useMemo, useState } from 'react';
import { tabPanelId } from '../../ui/tabs.tsx';
import { CodeEditor, type Jump } from './editor/code-editor.tsx';
import { ConflictPanel } from './editor/conflict-panel.tsx';
import { FileBar, FILES_LABEL } from './editor/file-bar.tsx';
import { GraphCard } from './graph-card.tsx';
import { ProblemList } from './editor/problem-list.tsx';
import { SaveBar } from './editor/save-bar.tsx';
import { StartingPoints } from './starting-point-list.tsx';
import { useChecked } from './texts/use-checked.ts';
import type { EditedManifests } from './texts/use-manifests.ts';
import { WorkflowStart } from './start/workflow-start.tsx';

type WorkbenchProps = Readonly<{ agent: AgentDetail; manifests: EditedManifests; readOnly: boolean }>;

const FIRST_FILE = 'workflow.yaml';

/** The editor with its problems, beside the graph and the form that starts a task. */
export function Workbench({ agent, manifests, readOnly }: WorkbenchProps) {
  const { texts, edits, write } = manifests;
  const [chosen, setChosen] = useState(FIRST_FILE);
  const [jump, setJump] = useState<Jump | null>(null);
  const check = useChecked(texts);
  const files = [...texts.keys()];
  const file = texts.has(chosen) ? chosen : (files[0] ?? FIRST_FILE);
  const errorsHere = useMemo(() => check.errors.filter((error) => error.file === file), [check.errors, file]);
  const go = (place: Jump): void => {
    if (!texts.has(place.file)) return;
    setChosen(place.file);
    setJump({ ...place });
  };
  const add = (name: string): void => {
    // A file whose deletion is not saved comes back with its text.
    write(name, edits.get(name)?.was ?? '');
    setChosen(name);
  };
  if (files.length === 0)
    return readOnly ? (
      <p className="card empty">{agent.display_name} has no workflow. An admin can write one here.</p>
    ) : (
      <StartingPoints
        onChoose={({ texts: begun }) => {
          for (const [name, text] of begun) write(name, text);
        }}
      />
    );
  return (
    <div className="workbench">
      <section className="workbench-editor card" aria-label="Editor">
        <FileBar
          files={files}
          chosen={file}
          wrong={new Set(check.errors.map((error) => error.file))}
          changed={new Set(edits.keys())}
          readOnly={readOnly}
          onChoose={setChosen}
          onAdd={add}
          onDelete={(name) => write(name, null)}
        />
        <div role="tabpanel" id={tabPanelId(FILES_LABEL)} aria-label={file}>
          <CodeEditor
            file={file}
            text={texts.get(file) ?? ''}
            errors={errorsHere}
            readOnly={readOnly}
            jump={jump}
            onChange={(text) => write(file, text)}
            onSave={() => void manifests.save()}
          />
        </div>
        <ProblemList errors={check.errors} isCurrent={check.isCurrent} onJump={(error: ConfigError) => go(error)} />
        {!readOnly && <SaveBar manifests={manifests} problems={check.errors.length} />}
      </section>
      {manifests.conflicts.length > 0 && <ConflictPanel {...manifests} />}
      <GraphCard
        manifests={check.valid}
        isStale={check.errors.length > 0}
        onStage={(stage, pipeline) => {
          const place = placeOfStage(texts, stage, pipeline);
          if (place !== null) go(place);
        }}
      />
      <section className="workbench-start card" aria-label="Start a task">
        <h2>Start a task</h2>
        {edits.size > 0 && <p className="hint">A task uses the saved manifests, not your unsaved changes.</p>}
        <WorkflowStart agent={agent} />
      </section>
    </div>
  );
}
