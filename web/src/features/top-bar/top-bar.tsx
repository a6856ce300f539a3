import { lazy, useState } from 'react';
import type { AppState } from '../../client/app-state.ts';
import { Button, Icon, IconButton, LazyBoundary } from '../../ui/controls.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { applyTheme, nextTheme, savedTheme, saveShortcuts, shortcutsOn } from '../../ui/preferences.ts';
import { clockTime } from '../../ui/time-labels.ts';
import { NeedsLink } from '../attention/needs-link.tsx';
import { FreezeButton } from '../freeze/freeze-banner.tsx';
import { ViewNav } from '../navigation/view-nav.tsx';
import { populationOf } from '../agent-list/agent-state.ts';
import { useVillage, useVillageState } from '../village-context.ts';

const MyAccount = lazy(async () => ({ default: (await import('../accounts/my-account.tsx')).MyAccount }));

export function TopBar() {
  const { name } = useVillageState((state) => state.brand);
  return (
    <header className="top-bar">
      <a className="brand" href="/" aria-label={name}>
        <img src="/favicon.svg" alt="" width="28" height="28" />
        <span>{name}</span>
      </a>
      <ViewNav />
      <VillageClock />
      <Population />
      <span className="spring" />
      <NeedsLink />
      <Health />
      <FreezeButton />
      <ShortcutsButton />
      <ThemeButton />
      <AccountButton />
    </header>
  );
}

const PHASES: Readonly<Record<string, { readonly icon: IconName; readonly word: string }>> = {
  night: { icon: 'moon', word: 'Night' },
  morning: { icon: 'sunrise', word: 'Morning' },
  day: { icon: 'sun', word: 'Day' },
  evening: { icon: 'sunrise', word: 'Evening' },
};

function VillageClock() {
  const clock = useVillageState((state) => state.clock);
  if (clock === null) return null;
  const phase = PHASES[clock.phase] ?? { icon: 'sun' as const, word: clock.phase };
  return (
    <span
      className="chip clock"
      title={`${phase.word} of day ${clock.day} in the village, whose day lasts 24 minutes. Other times are real time.`}
    >
      <Icon name={phase.icon} size={16} />
      <span className="clock-time">
        <small>village</small>
        <b>{clockTime(clock.minute)}</b>
      </span>
      <span className="wide-only">day {clock.day}</span>
    </span>
  );
}

function Population() {
  const rows = useVillageState((state) => state.rows);
  const details = useVillageState((state) => state.details);
  if (rows.length === 0) return null;
  return (
    <span className="chip population" role="group" aria-label="Population">
      {populationOf(rows, details).map(({ tone, word, count }) => (
        <span key={tone} className="population-group" title={`${count} ${word}`}>
          <span className={`mark mark-${tone}`} aria-hidden="true" />
          <b>{count}</b>
          <span className="population-word">{word}</span>
        </span>
      ))}
    </span>
  );
}

const HEALTH: Readonly<
  Record<AppState['connection'], { readonly word: string; readonly hint: string; readonly icon: IconName }>
> = {
  connecting: { word: 'Connecting', hint: 'The first frames are on their way.', icon: 'signal' },
  live: { word: 'Live', hint: 'The map is live.', icon: 'signal' },
  lagging: { word: 'Lagging', hint: 'The village has been silent for some seconds.', icon: 'alert' },
  reconnecting: {
    word: 'Reconnecting',
    hint: 'The connection was lost; the map shows the last known state.',
    icon: 'offline',
  },
  outdated: { word: 'Outdated', hint: 'This page is older than the village: load it again.', icon: 'alert' },
};

function Health() {
  const connection = useVillageState((state) => state.connection);
  const { word, hint, icon } = HEALTH[connection];
  return (
    <span className={`chip health health-${connection}`} role="status" title={hint}>
      <Icon name={icon} size={15} />
      <span>{word}</span>
    </span>
  );
}

const THEMES = {
  system: { icon: 'contrast', word: 'as the device' },
  light: { icon: 'sun', word: 'light' },
  dark: { icon: 'moon', word: 'dark' },
} as const;

function ThemeButton() {
  const [theme, setTheme] = useState(savedTheme);
  const change = (): void => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <IconButton
      icon={THEMES[theme].icon}
      label={`Colours: ${THEMES[theme].word}. Change`}
      onClick={change}
      title={`Colours: ${THEMES[theme].word}`}
    />
  );
}

/** Shortcuts of one key conflict with some assistive technology, so a person can turn them off. Escape always works. */
function ShortcutsButton() {
  const [on, setOn] = useState(shortcutsOn);
  const change = (): void => {
    saveShortcuts(!on);
    setOn(!on);
  };
  return (
    <IconButton
      icon="keyboard"
      label="Keyboard shortcuts"
      className="shortcuts"
      onClick={change}
      aria-pressed={on}
      title={`Keyboard shortcuts (1 to 5, F, /, arrows, plus, minus, 0; Ctrl+K always goes to anything by name): ${on ? 'on' : 'off'}`}
    />
  );
}

function AccountButton() {
  const session = useVillageState((state) => state.session);
  const { openSignIn } = useVillage();
  const [open, setOpen] = useState(false);
  if (session.kind === 'unknown') return null;
  if (session.kind === 'visitor') return <Button look="plain" icon="login" word="Sign in" onClick={openSignIn} />;
  return (
    <span className="account">
      <button
        type="button"
        className="account-name"
        onClick={() => setOpen(true)}
        title="Your account: sessions, password, signing out"
      >
        <Icon name="user" size={16} />
        <span>{session.account.name}</span>
        <span className="role">{session.account.role}</span>
      </button>
      {open && (
        <LazyBoundary fallback={null}>
          <MyAccount onClose={() => setOpen(false)} />
        </LazyBoundary>
      )}
    </span>
  );
}
