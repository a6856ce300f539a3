import { DeliveredTable, getArtifactContent, getArtifactImage, SharedScript, urlOf } from '@hamlet/contract';
import { readJson } from '@hamlet/core';
import { useEffect, useMemo, useState } from 'react';
import { Button, Icon } from '../../ui/controls.tsx';
import { filesOfPatch, kindLabel, type ShownArtifact, sizeLabel, textOf } from './result-labels.ts';
import './results.css';
import { PageLink } from '../citations/web-link.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { hostOf } from '../citations/opened-pages.ts';
import { diffLines } from '../hands/hands-labels.ts';
import { DiffView } from '../hands/diff-view.tsx';
import { parameterLabels } from '../scripts/script-labels.ts';
import '../scripts/scripts.css';
import { visibleText } from '@hamlet/core/visible-text';
import { originLabel } from '../../client/minds/origin-label.ts';

interface CardProps {
  readonly artifact: ShownArtifact;
  /** Address of the bytes; by default that for the readers of the run. */
  readonly contentUrl?: string;
}

/** A deliverable of an agent: name, kind and size, its content on demand, and a download. The page never runs it. */
export function ArtifactCard({ artifact, contentUrl = contentUrlOf(artifact) }: CardProps) {
  const [open, setOpen] = useState(false);
  const { artifact_id: id, name, bytes, deliverable, version, taint = null } = artifact;
  return (
    <section className="artifact" data-artifact={id} data-kind={deliverable ?? 'none'} aria-label={visibleText(name)}>
      <header className="artifact-head">
        <Icon name="bag" size={16} />
        <span className="artifact-name">{visibleText(name)}</span>
        <span className="artifact-facts">
          {kindLabel(deliverable)} · {sizeLabel(bytes)}
          {(version ?? 1) > 1 && <> · version {version}</>}
        </span>
        <span className="artifact-acts">
          <Button
            word={open ? 'Close' : 'Open'}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            data-action="open-artifact"
          />
          <a className="button button-small" href={contentUrl} download={name}>
            <Icon name="down" size={14} />
            Download
          </a>
        </span>
      </header>
      {taint !== null && (
        <p className="artifact-taint" data-taint={taint.source}>
          Made after text from outside had reached the run: {taintWord(taint)}. Check it before you use it.
        </p>
      )}
      {open && <ArtifactPreview artifact={artifact} contentUrl={contentUrl} />}
    </section>
  );
}

function taintWord(taint: NonNullable<ShownArtifact['taint']>): string {
  const label = visibleText(originLabel(taint));
  return `${label.slice(0, 1).toLowerCase()}${label.slice(1)}`;
}

const contentUrlOf = ({ artifact_id }: Pick<ShownArtifact, 'artifact_id'>): string =>
  urlOf(getArtifactContent, { params: { artifact_id } });

const TEXT_MAX_CHARS = 100_000;
const PATCH_MAX_CHARS = 2_000_000;
const UNFOLDED = 5;

function ArtifactPreview({ artifact, contentUrl }: Readonly<{ artifact: ShownArtifact; contentUrl: string }>) {
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

function Content({ artifact, bytes }: Readonly<{ artifact: ShownArtifact; bytes: Uint8Array }>) {
  const { deliverable, name } = artifact;
  const isPatch = deliverable === 'patch' || /\.(patch|diff)$/i.test(name);
  const read = useMemo(() => textOf(bytes, isPatch ? PATCH_MAX_CHARS : TEXT_MAX_CHARS), [bytes, isPatch]);
  if (read === null) return <p className="hint">This file is not text: download it.</p>;
  if (deliverable === 'table') return <TableView text={read.text} />;
  if (deliverable === 'script') return <SharedScriptView text={read.text} />;
  if (isPatch) return <PatchView patch={read.text} />;
  const rest = read.left > 0 && (
    <p className="hint">{read.left.toLocaleString('en')} more characters are in the download.</p>
  );
  if (/\.(md|markdown)$/i.test(name))
    return (
      <>
        <Markdown className="artifact-markdown" text={read.text} />
        {rest}
      </>
    );
  return (
    <>
      <pre className="call-result artifact-text" tabIndex={0} aria-label="Content">
        {visibleText(read.text)}
      </pre>
      {rest}
    </>
  );
}

function PatchView({ patch }: { readonly patch: string }) {
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

function TableView({ text }: { readonly text: string }) {
  const table = useMemo(() => DeliveredTable.safeParse(readJson(text)).data, [text]);
  if (table === undefined) return <p className="hint">The page cannot show this table: download it.</p>;
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

/** An image, which the village serves only as PNG or JPEG. */
export function ArtifactImage({ artifact }: { readonly artifact: ShownArtifact }) {
  const { artifact_id, name } = artifact;
  const url = urlOf(getArtifactImage, { params: { artifact_id } });
  return (
    <a className="artifact-image" href={url} target="_blank" rel="noopener noreferrer" title={visibleText(name)}>
      <img src={url} alt={visibleText(name)} loading="lazy" decoding="async" />
    </a>
  );
}

function SharedScriptView({ text }: { readonly text: string }) {
  const script = useMemo(() => SharedScript.safeParse(readJson(text)).data, [text]);
  if (script === undefined) return <p className="hint">An agent cannot adopt this file as a script: download it.</p>;
  const labels = parameterLabels(script.parameters);
  return (
    <div className="shared-script">
      <p>
        <b>{script.name}</b> <span className="hint">{script.language}</span>
      </p>
      <p className="script-text">{visibleText(script.description)}</p>
      {labels.length > 0 && <p className="hint">Parameters: {labels.join(', ')}</p>}
      <pre className="call-result script-source" tabIndex={0} aria-label={`Source of ${script.name}`}>
        {visibleText(script.source)}
      </pre>
    </div>
  );
}

type Loaded =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'here'; readonly bytes: Uint8Array };

const NOT_KEPT = 404;

function useContent(url: string | null): Loaded {
  const [content, setContent] = useState<Loaded>({ kind: 'loading' });
  useEffect(() => {
    if (url === null) return;
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      const next = await contentAt(url, stop.signal);
      if (!stop.signal.aborted) setContent(next);
    };
    void read();
    return () => stop.abort();
  }, [url]);
  return content;
}

async function contentAt(url: string, signal: AbortSignal): Promise<Loaded> {
  try {
    const response = await window.fetch(url, { signal });
    if (response.ok) return { kind: 'here', bytes: new Uint8Array(await response.arrayBuffer()) };
    const text =
      response.status === NOT_KEPT
        ? 'The village no longer keeps this: it keeps artifacts for 30 days.'
        : 'The village refuses this content. Try again.';
    return { kind: 'failed', text };
  } catch {
    return { kind: 'failed', text: 'The connection was lost. Close this and open it again.' };
  }
}
