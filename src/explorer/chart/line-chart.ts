import { html } from 'htm/preact';
import { Component, createRef, type VNode } from 'preact';
import uPlot from 'uplot';
import type { Day } from '../../domain/values/date.ts';
import { axesOf } from './axes.ts';
import { drawAbove, drawBehind, frameOf, nameWidth, type Pen, placesPerDot } from './overlay.ts';
import { type PictureWords, svgOf } from './picture.ts';
import {
  colourOf,
  dayAt,
  fonts,
  type PlotData,
  type PlotLine,
  type PlotValues,
  positionsOf,
  secondsOf,
} from './plot-data.ts';

/** The text at the pointer; the colour of a row is that of a line of the chart. */
export type Tip = {
  readonly heading: string;
  readonly rows: readonly { readonly label: string; readonly value: string; readonly colour?: string }[];
};

type LineChartProps = {
  readonly chart: PlotData;
  readonly description: string;
  /** The texts around the chart where it is saved. */
  readonly words: PictureWords;
  /** What is said of a position at the pointer. */
  readonly tipOf: (position: number) => Tip | undefined;
  /** Set to the chart, which can then be saved. */
  readonly drawn: { current: LineChart | null };
  readonly onPick?: (position: number) => void;
  readonly onZoom?: (from: Day, to: Day) => void;
};

type LineChartState = { readonly hovered?: { readonly position: number; readonly x: number } | undefined };

/** A chart of lines by uPlot; a tip follows the pointer. */
export class LineChart extends Component<LineChartProps, LineChartState> {
  readonly #place = createRef<HTMLDivElement>();
  readonly #resized = new ResizeObserver(() => this.#resize());
  readonly #gone = new AbortController();
  #plot: uPlot | undefined;
  /** What cannot change in a chart of uPlot. */
  #form = '';
  // Most are unchanged while a slider moves over as-of days.
  readonly #numbers = new WeakMap<PlotValues, (number | null | undefined)[]>();
  #bounds:
    | {
        readonly faint: readonly PlotValues[];
        readonly min: number;
        readonly max: number;
        readonly low: number;
        readonly high: number;
      }
    | undefined;
  /** The faint lines, which are many, as they were last drawn. */
  #behind:
    | { readonly key: string; readonly faint: PlotData['faint']; readonly canvas: HTMLCanvasElement }
    | undefined;

  override componentDidMount(): void {
    this.props.drawn.current = this;
    if (this.#place.current !== null) this.#resized.observe(this.#place.current);
    for (const media of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
      matchMedia(media).addEventListener('change', () => this.#recolour(), this.#gone);
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

  /** Returns what is on the page as SVG. */
  picture(): string {
    if (this.#plot === undefined) throw new Error('the chart is empty');
    const { chart, description, words } = this.props;
    return svgOf(this.#plot, chart, words, description);
  }

  render({ chart, description, tipOf }: LineChartProps, { hovered }: LineChartState): VNode {
    const tip = hovered && tipOf(hovered.position);
    // Beside the pointer, and within the chart, which a phone makes narrow.
    const x = hovered?.x ?? 0;
    const width = this.#plot?.width ?? 0;
    const beside = (distance: number) => `max(0px, min(${distance + 14}px, 100% - 19.5em))`;
    const style = x > width / 2 ? { right: beside(width - x) } : { left: beside(x) };
    return html`
      <figure>
        <figcaption class="units"><span>${chart.unit}</span><span>${chart.otherUnit}</span></figcaption>
        <div class="plot" role="img" aria-label=${description} ref=${this.#place} />
        ${
          tip &&
          html`
            <div class="tip" style=${style} aria-hidden="true">
              <p>${tip.heading}</p>
              <dl>
                ${tip.rows.map(
                  ({ label, value, colour }) =>
                    html`<div><dt><span class="swatch ${colour ?? ''}" />${label}</dt><dd>${value}</dd></div>`,
                )}
              </dl>
            </div>`
        }
      </figure>`;
  }

  #recolour(): void {
    this.#behind = undefined;
    this.#plot?.redraw(false);
  }

  #draw(): void {
    const plot = this.#plot;
    const { lines } = this.props.chart;
    if (plot === undefined || this.#form !== formOf(this.props.chart, plot.width)) {
      this.#resize();
      return;
    }
    plot.batch(() => {
      for (const [i, { isHidden = false }] of lines.entries())
        if (plot.series[i + 1]?.show === isHidden) plot.setSeries(i + 1, { show: !isHidden });
      plot.setData(this.#columns(), false);
      plot.setScale('x', this.#range());
    });
  }

  #resize(): void {
    const place = this.#place.current;
    if (place === null || place.clientWidth === 0 || this.props.chart.at.length === 0) return;
    const width = place.clientWidth;
    const size = { width, height: width < narrow ? 260 : 360 };
    const form = formOf(this.props.chart, width);
    if (form === this.#form) this.#plot?.setSize(size);
    else {
      this.#plot?.destroy();
      this.#form = form;
      this.#plot = this.#made(size, place);
    }
  }

  #made(size: { readonly width: number; readonly height: number }, place: HTMLElement): uPlot {
    const { chart, onZoom } = this.props;
    const { lines, isLog = false } = chart;
    const isDay = chart.axis === 'day';
    const hasOther = lines.some(({ isOther }) => isOther);
    const names = Math.max(0, ...lines.map(nameWidth));
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
        y: isLog
          ? { distr: 3, range: (_, least, most) => this.#withFaint(least, most, logRange) }
          : { range: (_, least, most) => this.#withFaint(least, most, paddedRange) },
        ...(hasOther && {
          other: { range: (_: uPlot, least: number, most: number) => paddedRange(least, most) },
        }),
      },
      // Room for the names of the lines, and half of the last date.
      padding: [12, hasOther ? 8 : roomFor(names, size.width), null, null],
      axes: axesOf(chart, () => this.props.chart.at),
      series: [{}, ...lines.map((line) => seriesOf(line, !isDay))],
      hooks: {
        setCursor: [
          ({ cursor: { idx, left = 0 }, bbox }) =>
            this.#hover(idx ?? undefined, left + bbox.left / devicePixelRatio),
        ],
        setSelect: [(plot) => this.#zoom(plot)],
        drawClear: [(plot) => this.#drawBehind(plot)],
        draw: [
          (plot) =>
            drawAbove(
              canvasPen(plot.ctx, devicePixelRatio, colourOf('--ground')),
              this.props.chart,
              frameOf(plot),
            ),
        ],
      },
    };
    const made = new uPlot(options, this.#columns(), place);
    made.setScale('x', this.#range());
    this.#listen(made);
    return made;
  }

  #listen(plot: uPlot): void {
    let pressedAt = 0;
    plot.over.addEventListener('mousedown', ({ clientX }) => {
      pressedAt = clientX;
    });
    plot.over.addEventListener('click', ({ clientX }) => {
      const { idx } = plot.cursor;
      if (typeof idx === 'number' && Math.abs(clientX - pressedAt) < 4) this.props.onPick?.(idx);
    });
    // A finger shows values where it moves; up and down it scrolls the page.
    const touch = ({ touches: [first] }: TouchEvent) => {
      const { left } = plot.over.getBoundingClientRect();
      if (first !== undefined) plot.setCursor({ left: first.clientX - left, top: 10 });
    };
    for (const name of ['touchstart', 'touchmove'] as const)
      plot.over.addEventListener(name, touch, { passive: true });
  }

  #hover(position: number | undefined, x: number): void {
    const hovered = position === undefined || x < 0 ? undefined : { position, x };
    if (hovered?.position !== this.state.hovered?.position) this.setState({ hovered });
  }

  /** Returns a range of the lines and the faint lines together. */
  #withFaint(least: number | null, most: number | null, rangeFor: typeof paddedRange): [number, number] {
    const { faint = [], axis } = this.props.chart;
    if (faint.length === 0 || axis !== 'day') return rangeFor(least, most);
    const { min, max } = this.#range();
    const { low, high } = this.#boundsOf(faint, min, max);
    return rangeFor(Math.min(low, least ?? low), Math.max(high, most ?? high));
  }

  /** Returns the least and greatest of faint lines from one position to another. */
  #boundsOf(
    faint: readonly PlotValues[],
    min: number,
    max: number,
  ): { readonly low: number; readonly high: number } {
    const known = this.#bounds;
    if (known?.faint === faint && known.min === min && known.max === max) return known;
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const positions = positionsOf(this.props.chart);
    for (const values of faint)
      for (const [i, value] of this.#numbersOf(values).entries()) {
        const place = positions[i] ?? 0;
        if (value === null || value === undefined || place < min || place > max) continue;
        [low, high] = [Math.min(low, value), Math.max(high, value)];
      }
    this.#bounds = { faint, min, max, low, high };
    return this.#bounds;
  }

  #drawBehind(plot: uPlot): void {
    const { chart } = this.props;
    const frame = frameOf(plot);
    const ground = colourOf('--ground');
    const { faint = [], ...rest } = chart;
    drawBehind(canvasPen(plot.ctx, devicePixelRatio, ground), rest, frame);
    if (faint.length === 0) return;
    const { x, y } = plot.scales;
    const { width, height } = plot.ctx.canvas;
    const key = [x?.min, x?.max, y?.min, y?.max, width, height].join(' ');
    if (this.#behind?.key !== key || this.#behind.faint !== chart.faint) {
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const ctx = canvas.getContext('2d');
      if (ctx !== null)
        drawBehind(canvasPen(ctx, devicePixelRatio, ground), { ...rest, faint, bands: [] }, frame);
      this.#behind = { key, faint: chart.faint, canvas };
    }
    plot.ctx.drawImage(this.#behind.canvas, 0, 0);
  }

  #columns(): uPlot.AlignedData {
    const { chart } = this.props;
    return [[...positionsOf(chart)], ...chart.lines.map(({ values }) => this.#numbersOf(values))];
  }

  #numbersOf(values: PlotValues): (number | null | undefined)[] {
    return remembered(this.#numbers, values, () =>
      values.map((text) => (text === undefined || text === null ? text : Number(text))),
    );
  }

  #range(): { readonly min: number; readonly max: number } {
    const { chart } = this.props;
    if (chart.axis === 'maturity') return { min: -0.3, max: chart.at.length - 0.7 };
    const [min, max] = rangeOf(chart);
    return { min, max };
  }

  #zoom(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 8) return;
    const [from, to] = [left, left + width].map((pixels) => dayAt(plot.posToVal(pixels, 'x')));
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.props.onZoom?.(from ?? '', to ?? '');
  }
}

/** Draws on a canvas; `ground` is around texts. */
function canvasPen(ctx: CanvasRenderingContext2D, ratio: number, ground: string): Pen {
  const within = (draw: () => void) => {
    ctx.save();
    ctx.scale(ratio, ratio);
    draw();
    ctx.restore();
  };
  return {
    lines: (runs, { colour, width = 1, dash = [], opacity = 1 }) =>
      within(() => {
        Object.assign(ctx, { strokeStyle: colour, lineWidth: width, globalAlpha: opacity });
        ctx.setLineDash([...dash]);
        ctx.beginPath();
        for (const run of runs)
          for (const [i, [x, y]] of run.entries()) ctx[i === 0 ? 'moveTo' : 'lineTo'](x, y);
        ctx.stroke();
      }),
    area: ([x, y], [right, bottom], colour) =>
      within(() => {
        ctx.fillStyle = colour;
        ctx.fillRect(x, y, right - x, bottom - y);
      }),
    dots: (points, radius, colour) =>
      within(() => {
        ctx.fillStyle = colour;
        for (const [x, y] of points) {
          ctx.beginPath();
          ctx.arc(x, y, radius, 0, 2 * Math.PI);
          ctx.fill();
        }
      }),
    text: (text, [x, y], { colour, anchor = 'start', size = 12, isBold = false }) =>
      within(() => {
        const font = `${isBold ? '600 ' : ''}${size}px ${fonts}`;
        const textAlign = anchor === 'middle' ? 'center' : anchor;
        Object.assign(ctx, {
          font,
          textAlign,
          textBaseline: 'alphabetic',
          fillStyle: colour,
          strokeStyle: ground,
          lineWidth: 3,
          lineJoin: 'round',
        });
        ctx.strokeText(text, x, y);
        ctx.fillText(text, x, y);
      }),
  };
}

/** Returns the first and last position on show of an axis of days. */
function rangeOf({ at, from = at[0] ?? '', to = at.at(-1) ?? '' }: PlotData): readonly [number, number] {
  const [first, last] = [secondsOf(from), secondsOf(to)];
  return first < last ? [first, last] : [first - 86_400 * 30, last + 86_400 * 30];
}

function formOf({ axis, isLog = false, lines, at }: PlotData, width: number): string {
  const forms = lines.map(({ form, colour, isOther }) => [form, colour, isOther].join());
  return [axis, isLog, ...forms, Math.max(0, ...lines.map(nameWidth)), at.length > 0, width < narrow].join(
    ' ',
  );
}

function remembered<K extends object, V>(made: WeakMap<K, V>, key: K, make: () => V): V {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}

function seriesOf(
  { colour, width = 1.5, form = 'line', isHidden = false, isOther = false }: PlotLine,
  spanGaps: boolean,
) {
  const stepped = form === 'steps' ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  const paths = form === 'dots' ? () => null : stepped;
  const stroke = () => colourOf(colour);
  const points = {
    size: form === 'dots' ? 4 : 6,
    stroke,
    fill: stroke,
    ...(form === 'dots' && { filter: someDots }),
  };
  return {
    show: !isHidden,
    spanGaps,
    stroke,
    width,
    ...(isOther && { scale: 'other' }),
    ...(paths !== undefined && { paths }),
    points: form === 'line' ? points : { ...points, show: true },
  };
}

/** Returns the room beside a chart; on a phone, the names of lines may cover their ends. */
function roomFor(names: number, width: number): number {
  return width < narrow ? 40 : Math.max(36, names);
}

/** Charts below this width, in pixels, are those of phones. */
const narrow = 560;

/** Returns the positions of the dots that have room; null for all. */
function someDots({ series: [positions], bbox }: uPlot): number[] | null {
  const [first = 0, last = 0] = positions?.idxs ?? [];
  const every = placesPerDot(last - first, bbox.width / devicePixelRatio);
  if (every === 1) return null;
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) => first + i * every);
}

function paddedRange(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null || least > most) return [0, 1];
  const space = least === most ? Math.abs(least) * 0.1 || 1 : (most - least) * 0.06;
  return [least - space, most + space];
}

function logRange(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null || !(least > 0)) return [1, 10];
  const space = (most / least) ** 0.06 || 1.1;
  return least === most ? [least / 1.1, most * 1.1] : [least / space, most * space];
}
