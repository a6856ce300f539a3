import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

const HEIGHT_PX = 56;
const COLOURS = ['--accent', '--sleep'] as const;

type Data = readonly [times: readonly number[], ...lines: readonly (readonly (number | null)[])[]];

/** The colour at each redraw, so that a change of the theme reaches the chart with the next figures. */
const colourOf = (name: (typeof COLOURS)[number]) => (plot: uPlot) =>
  getComputedStyle(plot.root).getPropertyValue(name).trim();

const optionsOf = (lines: number, width: number, top: number | null): uPlot.Options => ({
  width,
  height: HEIGHT_PX,
  cursor: { show: false },
  legend: { show: false },
  padding: [4, 0, 4, 0],
  axes: [{ show: false }, { show: false }],
  scales: { y: { range: (_, _min, max) => [0, top ?? Math.max(max, Number.MIN_VALUE) * 1.1] } },
  series: [
    {},
    ...COLOURS.slice(0, lines).map((name, at) => ({
      stroke: colourOf(name),
      width: 1.5,
      points: { show: false },
      ...(at === 0 ? {} : { dash: [4, 3] }),
    })),
  ],
});

/** One or two lines, the second one dashed, as wide as the element around them. The text beside it is for screen readers. */
export function LineChart({ data, top }: { readonly data: Data; readonly top: number | null }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const lines = data.length - 1;
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const made = new uPlot(optionsOf(lines, element.clientWidth, top), [[]], element);
    plot.current = made;
    const resizes = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    resizes.observe(element);
    return () => {
      resizes.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [lines, top]);
  useEffect(() => {
    plot.current?.setData(data as uPlot.AlignedData);
  }, [data]);
  return <div ref={place} className="line-chart" aria-hidden="true" />;
}
