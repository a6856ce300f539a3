/** A small Python project with one failing test, in a bare repository that a git server can serve. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The faulty line, and the lines that repair it. */
export const MISTAKE = `    return [cents // people] * people
`;
export const REPAIRED = `    share, left = divmod(cents, people)
    return [share + 1] * left + [share] * (people - left)
`;

const FILES: Readonly<Record<string, string>> = {
  '.gitignore': '__pycache__/\n.pytest_cache/\n',
  'README.md': '# purse\n\nSplits a bill among people. Tests: `python3 -m pytest -q`.\n',
  'purse/__init__.py': '',
  'purse/bill.py': `"""Shares of a bill, in cents."""


def shares(cents: int, people: int) -> list[int]:
    """The share of each person. Shares differ by one cent at most, and none is lost."""
${MISTAKE}`,
  'tests/test_bill.py': `from purse.bill import shares


def test_an_even_bill():
    assert shares(900, 3) == [300, 300, 300]


def test_no_cent_is_lost():
    assert sum(shares(1000, 3)) == 1000
`,
};

export interface SmallRepository {
  git(...args: readonly string[]): string;
}

/** Makes the bare repository `path` with one commit on the branch main. It logs every change of a reference. */
export function makeSmallRepository(path: string): SmallRepository {
  const work = `${path}.work`;
  for (const [file, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(work, file)), { recursive: true });
    writeFileSync(join(work, file), content);
  }
  const inside = (cwd: string, args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Mia', '-c', 'user.email=mia@example.org', ...args], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  inside(work, ['init', '--quiet', '--initial-branch=main', '.']);
  inside(work, ['add', '--all']);
  inside(work, ['commit', '--quiet', '--message', 'Split a bill']);
  inside(work, ['clone', '--quiet', '--bare', '.', path]);
  inside(path, ['config', 'http.receivepack', 'true']);
  inside(path, ['config', 'core.logAllRefUpdates', 'always']);
  return { git: (...args) => inside(path, args) };
}
