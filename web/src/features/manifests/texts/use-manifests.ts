import { type AgentManifests, type CallInput, getAgentManifests, putAgentManifests } from '@hamlet/contract';
import { useEffect, useMemo, useRef } from 'react';
import type { Refused } from '../../../client/api.ts';
import { useDraft } from '../../../client/drafts.ts';
import { useAnswer, useAsking, useIntent } from '../../../client/query/use-live.ts';
import {
  draftText,
  edited,
  type Edits,
  filesOf,
  readDraftText,
  rebased,
  resolved,
  savedDraft,
  type Texts,
  textsOf,
  withEdits,
} from './manifest-edits.ts';

/** How often the page asks for changes of others. */
const REFRESH_MS = 15_000;

/** The manifests of an agent with the unsaved changes of this tab. */
export interface EditedManifests {
  /** Null before the first answer. */
  readonly saved: AgentManifests | null;
  readonly unread: Refused | null;
  readonly savedTexts: Texts;
  readonly texts: Texts;
  readonly edits: Edits;
  /** The files that another person changed too, to another text. */
  readonly conflicts: readonly string[];
  /** True if another person changed other files since the first of these edits. */
  readonly isMerged: boolean;
  readonly saving: Readonly<{ busy: boolean; done: boolean; refused: Refused | null }>;
  /** Null deletes the file. */
  write(file: string, text: string | null): void;
  resolve(file: string, whose: 'mine' | 'theirs'): void;
  discard(): void;
  /** `take_over`: also if another manager owns the fields. */
  save(conflict?: 'refuse' | 'take_over'): Promise<void>;
}

export function useManifests(agentId: string): EditedManifests {
  const input = { params: { agent_id: agentId } };
  const live = useSaved(input);
  const [kept, keep] = useDraft(`manifests-${agentId}`);
  const sending = useIntent();
  const version = live.data?.version ?? null;
  const savedTexts = useMemo(() => textsOf(live.data ?? NO_FILES), [live.data]);
  const draft = useMemo(() => readDraftText(kept), [kept]);
  const now = useMemo(() => rebased(draft, { version, texts: savedTexts }), [draft, version, savedTexts]);
  const texts = useMemo(() => withEdits(savedTexts, now.edits), [savedTexts, now.edits]);
  const newest = useRef(now.edits);
  newest.current = now.edits;
  useWarning(now.edits.size > 0);

  const put = (edits: Edits): void => {
    newest.current = edits;
    keep(draftText({ version: now.version, edits }));
    sending.changed();
  };
  const save = async (conflict: 'refuse' | 'take_over' = 'refuse'): Promise<void> => {
    if (now.conflicts.length > 0 || now.edits.size === 0) return;
    const body = { files: filesOf(texts), version: now.version };
    const answer = await sending.call(
      putAgentManifests,
      { ...input, query: { on_conflict: conflict }, body },
      JSON.stringify([body, conflict]),
    );
    // After a refusal too: the manifests of the other person are then the ones to compare with.
    if (answer === null) return live.again();
    live.change((known) => ({ ...known, data: answer }));
    keep(draftText(savedDraft(newest.current, texts, { version: answer.version, texts: textsOf(answer) })));
    live.again();
  };
  return {
    saved: live.data,
    unread: live.refused,
    savedTexts,
    texts,
    edits: now.edits,
    conflicts: now.conflicts,
    isMerged: now.edits.size > 0 && now.conflicts.length === 0 && draft.version !== now.version,
    saving: sending,
    write: (file, text) => put(edited(savedTexts, newest.current, [file, text])),
    resolve: (file, whose) => put(resolved(newest.current, savedTexts, [file, whose])),
    discard: () => put(new Map()),
    save,
  };
}

function useSaved(input: CallInput<typeof getAgentManifests>): ReturnType<typeof useAnswer<AgentManifests>> {
  const { api } = useAsking();
  return useAnswer<AgentManifests>({
    key: [getAgentManifests.name, input],
    read: (signal) => api.call(getAgentManifests, { ...input, signal }),
    everyMs: REFRESH_MS,
  });
}

const NO_FILES = { files: [] };

/** The browser asks before it closes or reloads a page with unsaved changes. */
function useWarning(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isUnsaved]);
}
