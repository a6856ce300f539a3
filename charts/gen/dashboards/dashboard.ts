/** Dashboards of Grafana from short descriptions. Pure. */

/** A query, with the name of its series; Grafana replaces `{{label}}` in it. */
export type Query = readonly [name: string, expression: string];

export interface Panel {
  readonly title: string;
  /** A number shows the newest value of its one query. */
  readonly shape?: 'lines' | 'number';
  /** A unit of Grafana: `short`, `s`, `bytes`, `percentunit`, `celsius`, `watt`, … */
  readonly unit?: string;
  /** Shown if the pointer is over the title: how to read the panel. */
  readonly about?: string;
  /** A number is red from this value on, and lines have a dashed one at it. A number without limits has no colour. */
  readonly redFrom?: number;
  /** A number is red below this value. */
  readonly redBelow?: number;
  readonly queries: readonly Query[];
}

export interface Dashboard {
  /** Never changes, because addresses of Grafana contain it. */
  readonly uid: string;
  readonly title: string;
  readonly about: string;
  readonly rows: Readonly<Record<string, readonly Panel[]>>;
}

/** The selector of the village that a person chose above the panels. */
export const VILLAGE = 'namespace="$namespace"';

const COLUMNS = 24;
const SIZES = { number: { w: 4, h: 4 }, lines: { w: 8, h: 8 } } as const;
const ROW_HEIGHT = 1;
/** The version of the form of a dashboard, from Grafana 10.4 on. Later ones read it. */
const SCHEMA_VERSION = 39;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** The places of panels from left to right, and the first free line below them. */
function placesOf(panels: readonly Panel[], top: number): { readonly places: readonly Place[]; readonly end: number } {
  const places: Place[] = [];
  let line = { x: 0, y: top, h: 0 };
  for (const { shape = 'lines' } of panels) {
    const { w, h } = SIZES[shape];
    if (line.x + w > COLUMNS) line = { x: 0, y: line.y + line.h, h: 0 };
    places.push({ x: line.x, y: line.y, w, h });
    line = { x: line.x + w, y: line.y, h: Math.max(line.h, h) };
  }
  return { places, end: line.y + line.h };
}

function thresholdsOf({ redFrom, redBelow }: Panel): object {
  const base = redBelow !== undefined ? 'red' : redFrom !== undefined ? 'green' : 'text';
  const steps: { color: string; value: number | null }[] = [{ color: base, value: null }];
  if (redBelow !== undefined) steps.push({ color: 'green', value: redBelow });
  if (redFrom !== undefined) steps.push({ color: 'red', value: redFrom });
  return { mode: 'absolute', steps };
}

const lineStyle = ({ redFrom }: Panel): object => ({
  custom: { fillOpacity: 10, showPoints: 'never', thresholdsStyle: { mode: redFrom === undefined ? 'off' : 'dashed' } },
});

/** All options that Grafana's schema requires. Most have the value of Grafana itself. */
const OPTIONS: Readonly<Record<NonNullable<Panel['shape']>, object>> = {
  lines: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  number: {
    colorMode: 'value',
    graphMode: 'area',
    justifyMode: 'auto',
    orientation: 'auto',
    percentChangeColorMode: 'standard',
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    showPercentChange: false,
    textMode: 'auto',
    wideLayout: true,
  },
};

function panelOf(panel: Panel, gridPos: Place, id: number): object {
  const { title, about, queries, unit = 'short', shape = 'lines' } = panel;
  const custom = shape === 'lines' ? lineStyle(panel) : {};
  return {
    id,
    type: shape === 'lines' ? 'timeseries' : 'stat',
    title,
    ...(about === undefined ? {} : { description: about }),
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0, thresholds: thresholdsOf(panel), ...custom }, overrides: [] },
    options: OPTIONS[shape],
    targets: queries.map(([legendFormat, expr], index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource: DATASOURCE,
      expr,
      legendFormat,
    })),
  };
}

function panelsOf(rows: Dashboard['rows']): readonly object[] {
  const panels: object[] = [];
  let top = 0;
  for (const [title, wanted] of Object.entries(rows)) {
    const gridPos = { x: 0, y: top, w: COLUMNS, h: ROW_HEIGHT };
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos, panels: [] });
    const { places, end } = placesOf(wanted, top + ROW_HEIGHT);
    wanted.forEach((panel, index) => {
      const place = places[index];
      if (place !== undefined) panels.push(panelOf(panel, place, panels.length + 1));
    });
    top = end;
  }
  return panels;
}

/** The menu of the four dashboards, which keeps the village and the time. */
const LINK = {
  type: 'dashboards',
  title: 'Hamlet',
  tooltip: '',
  icon: 'external link',
  tags: ['hamlet'],
  asDropdown: true,
  targetBlank: false,
  includeVars: true,
  keepTime: true,
};

/** The dashboard as Grafana imports it. Its variables choose the data source and the namespace of the village. */
export function grafanaOf({ uid, title, about, rows }: Dashboard, command: string): object {
  const datasource = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' };
  const namespace = {
    name: 'namespace',
    label: 'Village',
    type: 'query',
    datasource: DATASOURCE,
    query: { query: 'label_values(hamlet_world_seq, namespace)', refId: 'village' },
    refresh: 2,
    sort: 1,
  };
  return {
    __comment: command,
    uid,
    title,
    description: about,
    tags: ['hamlet'],
    schemaVersion: SCHEMA_VERSION,
    editable: false,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    links: [LINK],
    annotations: { list: [] },
    templating: { list: [datasource, namespace] },
    panels: panelsOf(rows),
  };
}
