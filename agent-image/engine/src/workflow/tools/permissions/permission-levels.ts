/**
 * The permissions of one level as a manifest states them. A list that is left out states nothing; an empty one states that nothing is
 * allowed. An entry of a list of files that begins with `!` denies.
 */
export type StatedPermissions = Readonly<{
  filesystem?: Readonly<{ read?: readonly string[] | undefined; write?: readonly string[] | undefined }> | undefined;
  network?: Readonly<{ allow?: readonly string[] | undefined; deny?: readonly string[] | undefined }> | undefined;
  shell?:
    | Readonly<{
        enabled?: boolean | undefined;
        allow?: readonly string[] | undefined;
        deny?: readonly string[] | undefined;
      }>
    | undefined;
}>;

/** One level, from the general to the specific: all tools, the agent, the tool. `file` and `path`: where its `permissions` stand. */
export type PermissionLevel = Readonly<{
  name: 'default' | 'agent' | 'tool';
  file: string;
  path: readonly (string | number)[];
  stated: StatedPermissions;
}>;

/** A list of a level by the part of the permissions that it is in. */
export type ListName = 'filesystem.read' | 'filesystem.write' | 'network' | 'shell';

/** An entry of a list, as it is written and without its `!`, with the place where it stands. */
export type Entry = Readonly<{
  text: string;
  written: string;
  level: PermissionLevel;
  path: readonly (string | number)[];
}>;

/**
 * `allow`: the list of `by`, the most specific level that states one; `by` is null if no level does. `deny`: the lists
 * of all levels.
 */
type Grant = Readonly<{ allow: readonly Entry[]; deny: readonly Entry[]; by: PermissionLevel | null }>;

/** The rules about one kind of need at all levels. A more specific allow list replaces others; a denial of any level stays. Pure. */
export function grantOf(levels: readonly PermissionLevel[], list: ListName): Grant {
  const read = levels.map((level) => entriesOf(level, list));
  const last = read.findLast(({ isStated }) => isStated);
  return { allow: last?.allow ?? [], deny: read.flatMap(({ deny }) => deny), by: last?.level ?? null };
}

type LevelEntries = Readonly<{
  level: PermissionLevel;
  allow: readonly Entry[];
  deny: readonly Entry[];
  isStated: boolean;
}>;

function entriesOf(level: PermissionLevel, list: ListName): LevelEntries {
  const { filesystem, network, shell } = level.stated;
  switch (list) {
    case 'filesystem.read':
      return filesOf(level, 'read', filesystem?.read);
    case 'filesystem.write':
      return filesOf(level, 'write', filesystem?.write);
    case 'network':
      return listsOf(level, 'network', network);
    case 'shell':
      return listsOf(level, 'shell', shell);
    default:
      return list satisfies never;
  }
}

/** A list with denials alone states no allow list: it narrows that of a more general level. */
function filesOf(level: PermissionLevel, name: 'read' | 'write', texts: readonly string[] | undefined): LevelEntries {
  const entries = entriesAt(level, ['filesystem', name], texts);
  const allow = entries.filter(({ text }) => !text.startsWith('!'));
  const deny = entries
    .filter(({ text }) => text.startsWith('!'))
    .map((entry) => ({ ...entry, text: entry.text.slice(1) }));
  return { level, allow, deny, isStated: texts !== undefined && (allow.length > 0 || deny.length === 0) };
}

type Lists = Readonly<{ allow?: readonly string[] | undefined; deny?: readonly string[] | undefined }>;

const listsOf = (level: PermissionLevel, name: 'network' | 'shell', lists: Lists | undefined): LevelEntries => ({
  level,
  allow: entriesAt(level, [name, 'allow'], lists?.allow),
  deny: entriesAt(level, [name, 'deny'], lists?.deny),
  isStated: lists?.allow !== undefined,
});

const entriesAt = (
  level: PermissionLevel,
  path: readonly string[],
  texts: readonly string[] | undefined,
): readonly Entry[] =>
  (texts ?? []).map((text, index) => ({ text, written: text, level, path: [...level.path, ...path, index] }));
