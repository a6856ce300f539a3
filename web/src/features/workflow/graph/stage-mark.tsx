/** The state of a stage as people see it. `idle`: it has not begun. `waiting`: a person is asked. */
export type StageState = 'idle' | 'running' | 'waiting' | 'completed' | 'failed' | 'repeated' | 'skipped' | 'stopped';

const PATHS: Readonly<Record<StageState, string>> = {
  idle: 'M0-4a4 4 0 1 0 0 8 4 4 0 0 0 0-8',
  running: 'M0-5a5 5 0 0 1 5 5',
  waiting: 'M0-5.500 5.800 4.800H-5.800zM0-1.500v2.600M0 3.100v.1',
  completed: 'M-4.500.500l3.200 3.200L4.500-3.200',
  failed: 'M-3.800-3.800l7.600 7.600M3.800-3.800l-7.600 7.600',
  repeated: 'M4.500 0a4.500 4.500 0 1 1-1.500-3.300M3.500-6v3h-3',
  skipped: 'M-4.500 0h9',
  stopped: 'M-3.500-3.500h7v7h-7z',
};

/** The sign of a state, around the origin of an SVG: states differ in shape and in colour. */
export function StageSign({ state }: { readonly state: StageState }) {
  return (
    <g className={`stage-sign sign-${state}`}>
      {state === 'running' && <circle r="5" className="sign-ring" />}
      <path d={PATHS[state]} />
    </g>
  );
}

/** The sign beside a text. */
export function StageMark({ state }: { readonly state: StageState }) {
  return (
    <svg className="stage-mark" width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true" focusable="false">
      <StageSign state={state} />
    </svg>
  );
}
