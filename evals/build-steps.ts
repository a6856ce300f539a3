/** Reads Dockerfiles whose image a folder in the hands can replace. */

export interface Build {
  /** The folder in which the agent works. */
  readonly workdir: string;
  /** A file or folder of `environment`, and where it goes: below `to` if `to` ends with a slash and it is a file. */
  readonly copies: readonly (readonly [from: string, to: string])[];
  /** Commands that run in `workdir`, in order. */
  readonly runs: readonly string[];
  /** Folders at the root that the task uses, and that move below the folder of the attempt. */
  readonly roots: readonly string[];
}

/** The hands have what these images are used for: a shell, Python, Node and compilers for C. */
const PLAIN_IMAGE = /^(docker\.io\/)?(library\/)?(debian|ubuntu|python|node|gcc|buildpack-deps)(:[\w.-]+)?$/;
/** Commands that fetch programs, which belong to an image. */
const FETCHES =
  /\b(apt|apt-get|apk|dnf|yum|pip3?|pipx|uv|npm|npx|yarn|pnpm|cargo|go (get|install)|curl|wget|git clone)\b/;
/** Packages of Debian that the hands have. */
const PRESENT =
  /^(bash|build-essential|ca-certificates|coreutils|curl|file|findutils|g\+\+|gawk|gcc|git|grep|jq|less|make|nodejs|npm|patch|procps|python3(-dev|-pip|-venv)?|ripgrep|sed|tar|tree|unzip|vim|wget|xz-utils|zip)$/;
/** Variables that only make programs of an image quieter. */
const HARMLESS = /^(DEBIAN_FRONTEND|PYTHON[A-Z]+|LANG|LC_ALL)[= ]/;
/** Folders of the hands themselves. */
const SYSTEM = /^\/(bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|tmp|usr|var)?$/;
/** Where Harbor puts tests, their results and the reference solution. */
const HARBOR_ROOTS = ['/tests', '/logs', '/solution'] as const;

const rootOf = (path: string): string => `/${path.split('/')[1] ?? ''}`;

type Instruction = readonly [name: string, rest: string];

function instructionsOf(text: string): readonly Instruction[] {
  const lines = text
    .replaceAll(/^\s*#.*\n?/gm, '')
    .replaceAll(/\\\r?\n/g, ' ')
    .split(/\r?\n/);
  return lines.map((line) => line.trim().split(/\s+(.*)/)).map(([name = '', rest = '']) => [name.toUpperCase(), rest]);
}

/** True if the command installs packages that the hands have, and nothing else. */
function isPresent(command: string): boolean {
  return command.split(/&&|;/).every((part) => {
    const [program = '', verb = '', ...words] = part.trim().split(/\s+/);
    if (program === 'rm') return part.includes('/var/lib/apt/lists');
    if (!/^apt(-get)?$/.test(program)) return false;
    return verb !== 'install' || words.every((word) => word.startsWith('-') || PRESENT.test(word));
  });
}

/** True if a folder in the hands has the effect of the instruction already. */
const isNeedless = ([name, rest]: Instruction): boolean =>
  name === '' || (name === 'RUN' && isPresent(rest)) || (name === 'ENV' && HARMLESS.test(rest));

function needsImage([name, rest]: Instruction): boolean {
  if (name === 'FROM') return !PLAIN_IMAGE.test(rest);
  if (name === 'RUN') return FETCHES.test(rest) || /^[-[]|<</.test(rest);
  if (name === 'COPY') return /^[-[]/.test(rest);
  return !['WORKDIR', 'CMD', 'LABEL'].includes(name);
}

/** Reads a Dockerfile, or says why a task needs its image. Pure. */
export function readBuild(text: string): { readonly build: Build } | { readonly why: string } {
  const instructions = instructionsOf(text).filter((each) => !isNeedless(each));
  const obstacle = instructions.find(needsImage);
  if (obstacle !== undefined) return { why: `it needs an image of its own: ${obstacle.join(' ').slice(0, 80)}` };
  const all = (wanted: string): readonly string[] =>
    instructions.flatMap(([name, rest]) => (name === wanted ? rest : []));
  const [workdir = '/app', ...further] = all('WORKDIR');
  const copies = all('COPY').flatMap((rest) => {
    const [to = '', ...from] = rest.split(/\s+/).toReversed();
    const target = (to.startsWith('/') ? to : `${workdir}/${to}`).replace(/\/\.$/, '/');
    return from.toReversed().map((name) => [name, target] as const);
  });
  const roots = [...new Set([workdir, ...copies.map(([, to]) => to)].map(rootOf))];
  if (further.length > 0 || roots.some((root) => SYSTEM.test(root)))
    return { why: `it needs an image of its own: it uses ${[...roots, ...further].join(', ')}` };
  return { build: { workdir, copies, runs: all('RUN'), roots: [...roots, ...HARBOR_ROOTS] } };
}
