import { html } from 'htm/preact';
import { Component, createRef, type VNode } from 'preact';
import uPlot from 'uplot';
import { type Day, shortDays } from '../domain/values/date.ts';

/** A line of a chart; its colour is a CSS variable. */
type PlotLine = {
  readonly label: string;
  readonly colour: string;
  readonly width?: number;
  /** `steps` last until the next value, `dots` are not joined. Default: `line`. */
  readonly form?: 'line' | 'steps' | 'dots';
  /** An exact text for each position; null is a gap, and undefined is not in a saved picture. */
  readonly values: readonly (string | null | undefined)[];
  readonly isHidden?: boolean;
};

/** Lines over days or maturities; later lines cover earlier ones. */
export type PlotData = {
  readonly axis: 'day' | 'maturity';
  /** Days in ascending order, or maturities at even distances. */
  readonly at: readonly string[];
  readonly lines: readonly PlotLine[];
  /** The first and last days on show. Default: all. */
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
};

type LineChartProps = {
  readonly chart: PlotData;
  readonly description: string;
  readonly readout: (position: number | undefined) => string;
  readonly marks?: readonly { readonly day: Day; readonly label: string }[];
  /** Days with a tick on the time axis. */
  readonly ticks?: readonly Day[];
  readonly onPick?: (position: number) => void;
  readonly onZoom?: (from: Day, to: Day) => void;
};

type LineChartState = { readonly hovered?: number | undefined };

/** A chart of lines by uPlot; its text follows the pointer. */
export class LineChart extends Component<LineChartProps, LineChartState> {
  readonly #place = createRef<HTMLDivElement>();
  readonly #resized = new ResizeObserver(() => this.#resize());
  readonly #gone = new AbortController();
  #plot: uPlot | undefined;
  // Most are unchanged while a slider moves over as-of days.
  readonly #positions = new WeakMap<PlotData['at'], number[]>();
  readonly #numbers = new WeakMap<PlotLine['values'], (number | null)[]>();

  override componentDidMount(): void {
    if (this.#place.current !== null) this.#resized.observe(this.#place.current);
    for (const media of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
      matchMedia(media).addEventListener('change', () => this.#plot?.redraw(false), this.#gone);
    this.#resize();
  }

  override componentDidUpdate(before: LineChartProps): void {
    if (before !== this.props) this.#draw();
  }

  override componentWillUnmount(): void {
    this.#resized.disconnect();
    this.#gone.abort();
    this.#plot?.destroy();
  }

  render({ description, readout }: LineChartProps, { hovered }: LineChartState): VNode {
    return html`
      <figure>
        <div class="plot" role="img" aria-label=${description} ref=${this.#place} />
        <figcaption><p class="readout" aria-hidden="true">${readout(hovered)}</p></figcaption>
      </figure>`;
  }

  #draw(): void {
    const plot = this.#plot;
    if (plot === undefined) this.#resize();
    else
      plot.batch(() => {
        for (const [i, { isHidden = false }] of this.props.chart.lines.entries())
          if (plot.series[i + 1]?.show === isHidden) plot.setSeries(i + 1, { show: !isHidden });
        plot.setData(this.#columns(), false);
        plot.setScale('x', this.#range());
      });
  }

  #resize(): void {
    const place = this.#place.current;
    if (place === null || place.clientWidth === 0 || this.props.chart.at.length === 0) return;
    const width = place.clientWidth;
    const size = { width, height: width < 560 ? 260 : 380 };
    if (this.#plot === undefined) this.#plot = this.#made(size, place);
    else this.#plot.setSize(size);
  }

  #made(size: { readonly width: number; readonly height: number }, place: HTMLElement): uPlot {
    const { chart, onZoom } = this.props;
    const isDay = chart.axis === 'day';
    const options: uPlot.Options = {
      ...size,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
      legend: { show: false },
      cursor: {
        y: false,
        points: { size: 7 },
        drag: { x: onZoom !== undefined, y: false, setScale: false },
      },
      scales: {
        x: { time: isDay, range: (_, least, most) => [least, most] },
        y: { range: (_, least, most) => paddedRange(least, most) },
      },
      // Room for half of the last date.
      padding: [null, 36, null, null],
      axes: [isDay ? dayAxis : this.#maturityAxis(), verticalAxis],
      series: [{}, ...chart.lines.map((line) => seriesOf(line, !isDay))],
      hooks: {
        setCursor: [
          ({ cursor: { idx } }) => {
            const hovered = idx ?? undefined;
            if (hovered !== this.state.hovered) this.setState({ hovered });
          },
        ],
        setSelect: [(plot) => this.#zoom(plot)],
        draw: [(plot) => this.#drawMarks(plot)],
      },
    };
    const made = new uPlot(options, this.#columns(), place);
    made.setScale('x', this.#range());
    let pressedAt = 0;
    made.over.addEventListener('mousedown', ({ clientX }) => {
      pressedAt = clientX;
    });
    made.over.addEventListener('click', ({ clientX }) => {
      const { idx } = made.cursor;
      if (typeof idx === 'number' && Math.abs(clientX - pressedAt) < 4) this.props.onPick?.(idx);
    });
    return made;
  }

  #maturityAxis(): uPlot.Axis {
    const maturities = () => this.props.chart.at;
    return {
      ...axisStyle,
      grid: { show: false },
      size: 34,
      splits: () => maturities().map((_, i) => i),
      values: (plot) => {
        const every = Math.ceil((maturities().length * 34) / Math.max(1, plot.over.clientWidth));
        return maturities().map((name, i) => (i % every === 0 ? name : ''));
      },
    };
  }

  #columns(): uPlot.AlignedData {
    const { axis, at, lines } = this.props.chart;
    const positionOf = (text: string, i: number) => (axis === 'day' ? secondsOf(text) : i);
    return [
      remembered(this.#positions, at, () => at.map(positionOf)),
      ...lines.map(({ values }) =>
        remembered(this.#numbers, values, () => values.map((text) => (text ? Number(text) : null))),
      ),
    ];
  }

  #range(): { readonly min: number; readonly max: number } {
    const { axis, at, from = at[0], to = at.at(-1) } = this.props.chart;
    if (axis === 'maturity') return { min: -0.3, max: at.length - 0.7 };
    const [min, max] = [secondsOf(from ?? ''), secondsOf(to ?? '')];
    return min < max ? { min, max } : { min: min - 86_400 * 30, max: max + 86_400 * 30 };
  }

  #zoom(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 8) return;
    const [from, to] = [left, left + width].map((pixels) => dayAt(plot.posToVal(pixels, 'x')));
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.props.onZoom?.(from ?? '', to ?? '');
  }

  #drawMarks({ ctx, bbox, valToPos }: uPlot): void {
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = colourOf('--mark');
    ctx.fillStyle = colourOf('--soft');
    ctx.lineWidth = ratio;
    ctx.setLineDash([4 * ratio, 3 * ratio]);
    ctx.font = `${11 * ratio}px ${fonts}`;
    this.#drawTicks({ ctx, bbox, valToPos }, ratio);
    for (const [i, { day, label }] of (this.props.marks ?? []).entries()) {
      const x = valToPos(secondsOf(day), 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const isRight = x > bbox.left + bbox.width / 2;
      ctx.textAlign = isRight ? 'right' : 'left';
      ctx.fillText(label, x + (isRight ? -5 : 5) * ratio, bbox.top + (12 + 15 * i) * ratio);
    }
    ctx.restore();
  }

  #drawTicks({ ctx, bbox, valToPos }: Pick<uPlot, 'bbox' | 'ctx' | 'valToPos'>, ratio: number): void {
    const bottom = bbox.top + bbox.height;
    ctx.beginPath();
    for (const day of this.props.ticks ?? []) {
      const x = valToPos(secondsOf(day), 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.moveTo(x, bottom - 6 * ratio);
      ctx.lineTo(x, bottom);
    }
    ctx.save();
    ctx.setLineDash([]);
    ctx.stroke();
    ctx.restore();
  }
}

function remembered<K extends object, V>(made: WeakMap<K, V>, key: K, make: () => V): V {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}

const fonts = 'system-ui, "Segoe UI", Helvetica, Arial, sans-serif';

const axisStyle: uPlot.Axis = {
  font: `12px ${fonts}`,
  stroke: () => colourOf('--soft'),
  ticks: { show: true, stroke: () => colourOf('--grid'), width: 1, size: 5 },
  grid: { stroke: () => colourOf('--grid'), width: 1 },
};

/** Steps between dates on an axis, in seconds: days, months and years, which uPlot recognises by their length. */
const daySteps = [
  ...[1, 2, 3, 5, 7, 10, 15],
  ...[1, 2, 3, 4, 6].map((months) => months * 30),
  ...[1, 2, 5, 10, 20, 25, 50, 100].map((years) => years * 365),
].map((count) => count * 86_400);

const dayAxis: uPlot.Axis = {
  ...axisStyle,
  space: 88,
  size: 34,
  incrs: daySteps,
  // As in a saved picture.
  values: (_, splits) => [...shortDays(splits.map(dayAt))],
};

const verticalAxis: uPlot.Axis = {
  ...axisStyle,
  values: (_, splits) => numberLabels(splits),
  size: (_, values) => Math.max(34, ...(values ?? []).map((text) => 16 + 7 * text.length)),
};

function seriesOf({ colour, width = 1.5, form = 'line', isHidden = false }: PlotLine, spanGaps: boolean) {
  const stepped = form === 'steps' ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  const paths = form === 'dots' ? () => null : stepped;
  const stroke = () => colourOf(colour);
  const points = { size: form === 'dots' ? 4 : 6, stroke, fill: stroke };
  return {
    show: !isHidden,
    spanGaps,
    stroke,
    width,
    ...(paths !== undefined && { paths }),
    points: form === 'line' ? points : { ...points, show: true },
  };
}

function numberLabels(splits: readonly number[]): string[] {
  const [first = 0, second = first] = splits;
  const isPlain = Math.max(...splits.map(Math.abs)) < 1e12 && Math.abs(second - first) >= 1e-7;
  const format = new Intl.NumberFormat('en-US', {
    notation: isPlain ? 'standard' : 'scientific',
    maximumSignificantDigits: 12,
  });
  return splits.map((value) => format.format(value).toLowerCase());
}

function colourOf(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

function secondsOf(day: Day): number {
  return Date.parse(day) / 1000;
}

function dayAt(seconds: number): Day {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

function paddedRange(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null) return [0, 1];
  const space = least === most ? Math.abs(least) * 0.1 || 1 : (most - least) * 0.06;
  return [least - space, most + space];
}
