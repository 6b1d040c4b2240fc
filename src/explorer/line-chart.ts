import uPlot from 'uplot';
import type { Day } from '../domain/series/date.ts';
import { el } from './elements.ts';

/** A line of a chart; its colour is a variable of the style sheet. */
type PlotLine = {
  readonly label: string;
  readonly colour: string;
  readonly width?: number;
  /** `steps` holds each value until the next, `dots` joins nothing (default `line`). */
  readonly form?: 'line' | 'steps' | 'dots';
};

/** What a chart shows: positions, and for each line a number or a gap at each of them. */
export type PlotData = {
  /** Days in ascending order, or names at even distances. */
  readonly at: readonly string[];
  readonly values: readonly (readonly (number | null)[])[];
  /** The days that are shown of the axis; all unless given. */
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
  /** Days that a vertical line marks. */
  readonly marks?: readonly { readonly day: Day; readonly label: string }[];
};

/** What happens on a chart. */
export type PlotEvents = {
  /** A position was clicked. */
  readonly onPick?: (index: number) => void;
  /** The pointer is over a position, or left. */
  readonly onHover?: (index: number | undefined) => void;
  /** A range of days was selected by dragging. */
  readonly onZoom?: (from: Day, to: Day) => void;
};

/** A chart of lines over days or names; screen readers get its description, and the table below it. */
export class LineChart {
  readonly element: HTMLElement;
  readonly #lines: readonly PlotLine[];
  readonly #axis: 'day' | 'name';
  readonly #events: PlotEvents;
  #data: PlotData = { at: [], values: [] };
  #plot: uPlot | undefined;
  #hidden: ReadonlySet<number> = new Set();
  /** The positions of days on the axis, which stay the same while a slider moves over as-of days. */
  #placed: { readonly at: readonly string[]; readonly positions: number[] } = { at: [], positions: [] };

  constructor(lines: readonly PlotLine[], axis: 'day' | 'name', events: PlotEvents = {}) {
    this.#lines = lines;
    this.#axis = axis;
    this.#events = events;
    this.element = el('div', { class: 'plot', role: 'img' });
    new ResizeObserver(() => this.#resize()).observe(this.element);
    for (const media of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
      matchMedia(media).addEventListener('change', () => this.#plot?.redraw(false));
  }

  /** Says what the chart shows to those who cannot see it. */
  describe(text: string): void {
    this.element.setAttribute('aria-label', text);
  }

  /** Draws other data. */
  draw(data: PlotData): void {
    this.#data = data;
    const plot = this.#plot;
    if (plot === undefined) this.#resize();
    else
      plot.batch(() => {
        plot.setData(this.#columns(), false);
        plot.setScale('x', this.#range());
      });
  }

  /** Shows all lines but those at these positions. */
  hide(hidden: ReadonlySet<number>): void {
    for (const i of this.#lines.keys())
      if (hidden.has(i) !== this.#hidden.has(i)) this.#plot?.setSeries(i + 1, { show: !hidden.has(i) });
    this.#hidden = hidden;
  }

  #resize(): void {
    const width = this.element.clientWidth;
    if (width === 0 || this.#data.at.length === 0) return;
    const size = { width, height: width < 560 ? 260 : 380 };
    if (this.#plot === undefined) this.#plot = this.#made(size);
    else this.#plot.setSize(size);
  }

  #made(size: { readonly width: number; readonly height: number }): uPlot {
    const isDay = this.#axis === 'day';
    const options: uPlot.Options = {
      ...size,
      legend: { show: false },
      cursor: {
        y: false,
        points: { size: 7 },
        drag: { x: isDay && this.#events.onZoom !== undefined, y: false, setScale: false },
      },
      scales: {
        x: { time: isDay, range: (_, least, most) => [least, most] },
        y: { range: (_, least, most) => paddedRange(least, most) },
      },
      // Room for half of the last date.
      padding: [null, 36, null, null],
      axes: [this.#horizontalAxis(), verticalAxis],
      series: [{}, ...this.#lines.map((line, i) => seriesOf(line, !this.#hidden.has(i), !isDay))],
      hooks: {
        setCursor: [({ cursor: { idx } }) => this.#events.onHover?.(idx ?? undefined)],
        setSelect: [(plot) => this.#zoom(plot)],
        draw: [(plot) => this.#drawMarks(plot)],
      },
    };
    const made = new uPlot(options, this.#columns(), this.element);
    made.setScale('x', this.#range());
    let pressedAt = 0;
    made.over.addEventListener('mousedown', ({ clientX }) => {
      pressedAt = clientX;
    });
    made.over.addEventListener('click', ({ clientX }) => {
      const { idx } = made.cursor;
      if (typeof idx === 'number' && Math.abs(clientX - pressedAt) < 4) this.#events.onPick?.(idx);
    });
    return made;
  }

  #horizontalAxis(): uPlot.Axis {
    const named = () => this.#data.at;
    const shared = {
      ...axisStyle,
      grid: { show: this.#axis === 'day', stroke: () => colourOf('--grid'), width: 1 },
    };
    if (this.#axis === 'day')
      return { ...shared, space: 88, size: 34, incrs: daySteps, values: (_, splits) => dayLabels(splits) };
    return {
      ...shared,
      size: 34,
      splits: () => named().map((_, i) => i),
      values: (plot) => {
        const every = Math.ceil((named().length * 34) / Math.max(1, plot.over.clientWidth));
        return named().map((name, i) => (i % every === 0 ? name : ''));
      },
    };
  }

  #columns(): uPlot.AlignedData {
    const { at, values } = this.#data;
    if (this.#placed.at !== at)
      this.#placed = { at, positions: this.#axis === 'day' ? at.map(secondsOf) : at.map((_, i) => i) };
    return [this.#placed.positions, ...values.map((line) => [...line])];
  }

  #range(): { readonly min: number; readonly max: number } {
    const { at, from, to } = this.#data;
    if (this.#axis === 'name') return { min: -0.3, max: at.length - 0.7 };
    const [first = '', last = ''] = [from ?? at[0], to ?? at.at(-1)];
    const [min, max] = [secondsOf(first), secondsOf(last)];
    return min < max ? { min, max } : { min: min - 86_400 * 30, max: max + 86_400 * 30 };
  }

  #zoom(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 8) return;
    const days = [left, left + width].map((pixels) => dayAt(plot.posToVal(pixels, 'x')));
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    const [from = '', to = ''] = days;
    this.#events.onZoom?.(from, to);
  }

  #drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio;
    for (const [i, { day, label }] of (this.#data.marks ?? []).entries()) {
      const x = plot.valToPos(secondsOf(day), 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.save();
      ctx.strokeStyle = colourOf('--mark');
      ctx.fillStyle = colourOf('--soft');
      ctx.lineWidth = ratio;
      ctx.setLineDash([4 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.font = `${11 * ratio}px ${fonts}`;
      const isRight = x > bbox.left + bbox.width / 2;
      ctx.textAlign = isRight ? 'right' : 'left';
      ctx.fillText(label, x + (isRight ? -5 : 5) * ratio, bbox.top + (12 + 15 * i) * ratio);
      ctx.restore();
    }
  }
}

const fonts = 'system-ui, "Segoe UI", Helvetica, Arial, sans-serif';

const axisStyle: uPlot.Axis = {
  font: `12px ${fonts}`,
  stroke: () => colourOf('--soft'),
  ticks: { show: true, stroke: () => colourOf('--grid'), width: 1, size: 5 },
};

const verticalAxis: uPlot.Axis = {
  ...axisStyle,
  grid: { stroke: () => colourOf('--grid'), width: 1 },
  values: (_, splits) => numberLabels(splits),
  size: (_, values) => Math.max(34, ...(values ?? []).map((text) => 16 + 7 * text.length)),
};

function seriesOf({ label, colour, width = 1.5, form = 'line' }: PlotLine, show: boolean, spanGaps: boolean) {
  const stepped = form === 'steps' ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  const paths = form === 'dots' ? () => null : stepped;
  return {
    label,
    show,
    spanGaps,
    stroke: () => colourOf(colour),
    width,
    ...(paths !== undefined && { paths }),
    points: {
      size: form === 'dots' ? 4 : 6,
      ...(form !== 'line' && { show: true }),
      stroke: () => colourOf(colour),
      fill: () => colourOf(colour),
    },
  };
}

/** The steps between dates on an axis, in seconds: days, months and years, which uPlot recognises by their length. */
const daySteps = [
  ...[1, 2, 3, 5, 7, 10, 15],
  ...[1, 2, 3, 4, 6].map((months) => months * 30),
  ...[1, 2, 5, 10, 20, 25, 50, 100].map((years) => years * 365),
].map((count) => count * 86_400);

/** Dates as short as all of them allow: 2015, 2015-07 or 2015-07-03, as in a saved picture. */
function dayLabels(splits: readonly number[]): string[] {
  const days = splits.map(dayAt);
  const length = days.every((day) => day.endsWith('-01-01'))
    ? 4
    : days.every((day) => day.endsWith('-01'))
      ? 7
      : 10;
  return days.map((day) => day.slice(0, length));
}

/** Numbers with commas; very large and very small ones with a power of ten. */
function numberLabels(splits: readonly number[]): string[] {
  const [first = 0, second = first] = splits;
  const isPlain = Math.max(...splits.map(Math.abs)) < 1e12 && Math.abs(second - first) >= 1e-7;
  const format = new Intl.NumberFormat('en-US', {
    notation: isPlain ? 'standard' : 'scientific',
    maximumSignificantDigits: 12,
  });
  return splits.map((value) => format.format(value).toLowerCase());
}

/** The colour that a variable of the style sheet has in the scheme of the moment. */
function colourOf(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

/** The midnight at which uPlot's axis, in the time of the browser, shows this day. */
function secondsOf(day: Day): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date).getTime() / 1000;
}

function dayAt(seconds: number): Day {
  const date = new Date(seconds * 1000);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function paddedRange(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null) return [0, 1];
  const space = least === most ? Math.abs(least) * 0.1 || 1 : (most - least) * 0.06;
  return [least - space, most + space];
}
