import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { PlotData } from './line-chart.ts';
import type { AskedParams, PageContext } from './page-service.ts';
import { commandLine } from './state.ts';

/** Data on show, with its command and its address in the service. */
export type DataSource = {
  readonly name: string;
  /** The class of its line's colour. */
  readonly colour?: string;
  readonly words: readonly string[];
  readonly path: string;
  readonly params: AskedParams;
  readonly file: string;
};

/** A chart to save. */
export type Picture = {
  readonly title: string;
  readonly subtitle: string;
  readonly unit: string;
  readonly frequency: string;
  readonly source: string;
  readonly chart: PlotData;
  readonly file: string;
};

/** Does a task of a button; shows what it says, or why it failed. */
type RunTask = (task: () => Promise<string>) => void;

type DataListProps = {
  readonly context: PageContext;
  readonly sources: readonly DataSource[];
  readonly picture?: Picture;
};

/** Shows commands of data to copy, and saves the data as CSV, in the bytes that the command writes. */
export function DataList({ context, sources, picture }: DataListProps): VNode {
  const [said, setSaid] = useState('');
  const attempt: RunTask = (task) => {
    setSaid('');
    const failed = (error: unknown) => `Not done: ${error instanceof Error ? error.message : String(error)}`;
    void task().catch(failed).then(setSaid);
  };
  const button = (shown: Picture, kind: 'svg' | 'png') => html`
    <button type="button" onClick=${() => attempt(() => savePicture(shown, kind))}>Save ${kind.toUpperCase()}</button>`;
  return html`
    <div class="data">
      <ul class="sources">
        ${sources.map((source) => html`<${SourceLine} ...${{ context, source, attempt }} />`)}
      </ul>
      ${
        picture !== undefined &&
        html`<p class="buttons">Picture${' '} ${button(picture, 'svg')} ${button(picture, 'png')}</p>`
      }
      <p role="status" class="note">${said}</p>
    </div>`;
}

type SourceLineProps = {
  readonly context: PageContext;
  readonly source: DataSource;
  readonly attempt: RunTask;
};

function SourceLine({ context: { service, connection }, source, attempt }: SourceLineProps): VNode {
  const code = useRef<HTMLElement>(null);
  const { name, colour = '', words, path, params, file } = source;
  const command = commandLine(words, { ...flagsOf(params), ...connection });
  /** Browsers offer the clipboard only to HTTPS and this machine, and may refuse it; then a key copies. */
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      return 'The command is copied.';
    } catch {
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
      return 'The command is selected: copy it with Ctrl-C or ⌘C.';
    }
  };
  const saveCsv = async () => saveBlob(await service.csv(path, params), `${file}.csv`);
  return html`
    <li>
      <span aria-hidden="true" class="swatch ${colour}" />
      <span class="name">${name}</span>
      <code tabindex="0" ref=${code}>${command}</code>
      <button type="button" aria-label="Copy the command of ${name}" onClick=${() => attempt(copy)}>Copy</button>
      <button type="button" aria-label="Save ${name} as CSV" onClick=${() => attempt(saveCsv)}>CSV</button>
    </li>`;
}

function flagsOf(params: AskedParams): { readonly [flag: string]: string | undefined } {
  const flags = Object.entries(params).map(([name, value]) => {
    if (name === 'release') return ['--first-release', ''];
    if (name === 'curve_type') return ['--type', value === 'TIPS' ? 'tips' : undefined];
    return [`--${name.replaceAll('_', '-')}`, value];
  });
  return Object.fromEntries(flags);
}

async function savePicture(picture: Picture, kind: 'svg' | 'png'): Promise<string> {
  const svg = new Blob([await svgOf(picture)], { type: 'image/svg+xml' });
  return saveBlob(kind === 'svg' ? svg : await pngOf(svg), `${picture.file}.${kind}`);
}

async function svgOf({ title, subtitle, unit, frequency, source, chart }: Picture): Promise<string> {
  // Loaded on demand: a page without saved pictures does not need it.
  const { svgRenderer } = await import('../render/chart/svg.ts');
  const { axis, at, lines, from = '', to = '9' } = chart;
  const shown = lines.filter(({ isHidden = false }) => !isHidden);
  const renderer = svgRenderer({
    drawing: {
      axis,
      stepped: shown.some(({ form }) => form === 'steps'),
      words: () => ({ title, subtitle: [subtitle] }),
      marks: ({ line, at, value = null }) => {
        const label = String(line);
        return [{ line: label, label, unit, frequency, at: String(at), value, source }];
      },
    },
  });
  const results = shown.flatMap(({ label, values }) =>
    at.flatMap((at, i) => {
      const value = values[i];
      const isShown = value !== undefined && (axis === 'maturity' || (at >= from && at <= to));
      return isShown ? [{ line: label, at, value }] : [];
    }),
  );
  const page = { object: 'picture', request_id: '', status: 'ok', results, has_more: false };
  renderer.page({ ...page, results_count: results.length });
  return renderer.end();
}

async function pngOf(svg: Blob): Promise<Blob> {
  const image = new Image();
  image.src = URL.createObjectURL(svg);
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error('this browser makes no PNG of the picture; save it as SVG');
  return blob;
}

function saveBlob(blob: Blob, name: string): string {
  const href = URL.createObjectURL(blob);
  // Browsers replace characters that some systems forbid in different ways.
  const download = name.replace(/[<>:"/\\|?*]/g, '-');
  Object.assign(document.createElement('a'), { href, download }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  return '';
}
