import { Button, Notice } from '../../../ui/controls.tsx';
import type { EditedManifests } from '../texts/use-manifests.ts';
import { type MarkedLine, markedLines } from '../texts/manifest-edits.ts';

type ConflictPanelProps = Pick<EditedManifests, 'conflicts' | 'edits' | 'savedTexts' | 'resolve'>;

/** Shows both texts of each file that two people changed. Nothing is saved before the person has chosen for all of them. */
export function ConflictPanel({ conflicts, edits, savedTexts, resolve }: ConflictPanelProps) {
  return (
    <section className="conflicts card" aria-label="Conflicts">
      <Notice tone="waiting" icon="alert" role="alert">
        <b>Another person saved these files while you edited them.</b> Choose a text for each; then save. After “Take
        theirs”, undo in the editor brings your text back.
      </Notice>
      {conflicts.map((file) => {
        const [mine, theirs] = [edits.get(file)?.now ?? null, savedTexts.get(file) ?? null];
        const lines = markedLines(mine ?? '', theirs ?? '');
        return (
          <div key={file} className="conflict" data-conflict={file}>
            <h3>{file}</h3>
            <Side word="Yours" text={mine} lines={lines.mine}>
              <Button word="Keep mine" onClick={() => resolve(file, 'mine')} data-action="mine" />
            </Side>
            <Side word="Theirs, saved" text={theirs} lines={lines.theirs}>
              <Button word="Take theirs" onClick={() => resolve(file, 'theirs')} data-action="theirs" />
            </Side>
          </div>
        );
      })}
    </section>
  );
}

type SideProps = Readonly<{
  word: string;
  text: string | null;
  lines: readonly MarkedLine[];
  children: React.ReactNode;
}>;

function Side({ word, text, lines, children }: SideProps) {
  return (
    <div className="conflict-side">
      <h4>{word}</h4>
      {text === null ? (
        <p className="empty">The file is deleted.</p>
      ) : (
        <pre tabIndex={0} aria-label={word}>
          {lines.map(({ text: line, differs }, index) =>
            differs ? <mark key={index}>{`${line}\n`}</mark> : `${line}\n`,
          )}
        </pre>
      )}
      {children}
    </div>
  );
}
