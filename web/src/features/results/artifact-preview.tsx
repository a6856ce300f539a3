import { DeliveredTable } from '@hamlet/contract';
import { type ReactElement, useMemo } from 'react';
import { PageLink } from '../citations/cited-text.tsx';
import { hostOf } from '../citations/opened-pages.ts';
import { diffLines } from '../hands/diff-lines.ts';
import { DiffView } from '../hands/diff-view.tsx';
import { visibleText } from '../permissions/shown-arguments.ts';
import { SharedScriptView } from '../scripts/shared-script-view.tsx';
import { ArtifactImage } from './artifact-image.tsx';
import { filesOfPatch, type ShownArtifact, textOf } from './result-labels.ts';
import { useContent } from './use-content.ts';
import './results.css';

const TEXT_MAX_CHARS = 100_000;
/** Patches up to this length are shown whole. */
const PATCH_MAX_CHARS = 2_000_000;
/** Files of a patch that are unfolded. */
const UNFOLDED = 5;

/** The content of an artifact as text, difference, table or image; other bytes are only for the download. */
export function ArtifactPreview({ artifact, contentUrl }: Readonly<{ artifact: ShownArtifact; contentUrl: string }>) {
  const isImage = artifact.image === true;
  const content = useContent(isImage ? null : contentUrl);
  if (isImage) return <ArtifactImage artifact={artifact} />;
  if (content.kind === 'failed') return <p className="hint">{content.text}</p>;
  if (content.kind === 'loading')
    return (
      <p className="hint" role="status">
        Loading…
      </p>
    );
  return <Content artifact={artifact} bytes={content.bytes} />;
}

type ContentProps = Readonly<{ artifact: ShownArtifact; bytes: Uint8Array }>;

function Content({ artifact, bytes }: ContentProps): ReactElement {
  const { deliverable, name } = artifact;
  const isPatch = deliverable === 'patch' || /\.(patch|diff)$/i.test(name);
  const read = useMemo(() => textOf(bytes, isPatch ? PATCH_MAX_CHARS : TEXT_MAX_CHARS), [bytes, isPatch]);
  if (read === null) return <p className="hint">These bytes are no text: download the file.</p>;
  if (deliverable === 'table') return <TableView text={read.text} />;
  if (deliverable === 'script') return <SharedScriptView text={read.text} />;
  if (isPatch) return <PatchView patch={read.text} />;
  return (
    <>
      <pre className="call-result artifact-text" tabIndex={0} aria-label="Content">
        {visibleText(read.text)}
      </pre>
      {read.left > 0 && <p className="hint">{read.left.toLocaleString('en')} more characters are in the download.</p>}
    </>
  );
}

function PatchView({ patch }: { readonly patch: string }): ReactElement {
  const { files, left } = useMemo(() => filesOfPatch(patch), [patch]);
  return (
    <ul className="run-files patch-files">
      {files.map(({ path, diff, note }, index) => {
        const { added, removed } = diffLines(diff);
        return (
          <li key={index}>
            <details open={index < UNFOLDED}>
              <summary>
                <span className="run-file">{visibleText(path)}</span>
                <span className="run-file-label">
                  +{added} −{removed}
                  {note !== '' && ` · ${note}`}
                </span>
              </summary>
              {diff !== '' && <DiffView diff={diff} path={path} />}
            </details>
          </li>
        );
      })}
      {left > 0 && <li className="hint">{left} more files are in the download.</li>}
    </ul>
  );
}

/** A table whose rows link to their sources. */
function TableView({ text }: { readonly text: string }): ReactElement {
  const table = useMemo(() => readTable(text), [text]);
  if (table === null) return <p className="hint">This is no table that the page can show: download it.</p>;
  return (
    <div className="artifact-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.columns.map((column, index) => (
              <th key={index} scope="col">
                {visibleText(column)}
              </th>
            ))}
            <th scope="col">Sources</th>
          </tr>
        </thead>
        <tbody>
          {table.rows.map(({ cells, sources }, row) => (
            <tr key={row}>
              {cells.map((cell, index) => (
                <td key={index}>{visibleText(cell)}</td>
              ))}
              <td className="artifact-sources">
                {sources.length === 0 && <span className="hint">none</span>}
                {sources.map((url) => (
                  <PageLink key={url} url={url} word={hostOf(url)} />
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function readTable(text: string): DeliveredTable | null {
  try {
    return DeliveredTable.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
