import { button, el, status } from './elements.ts';
import type { AskedParams, PageService } from './page-service.ts';

/** One set of data that a picture shows: the command that gives it, and where the service has it. */
export type DataSource = {
  readonly name: string;
  /** The variable of the colour of its line, if it has one. */
  readonly colour?: string;
  readonly command: string;
  readonly path: string;
  readonly params: AskedParams;
  /** The name of its file, without an extension. */
  readonly file: string;
};

/** A picture as it is saved; `values` are exact texts. */
export type Picture = {
  readonly title: string;
  readonly subtitle: string;
  readonly axis: 'day' | 'maturity';
  readonly form: 'line' | 'steps';
  readonly unit: string;
  readonly frequency: string;
  readonly source: string;
  readonly lines: readonly {
    readonly label: string;
    readonly values: readonly (readonly [at: string, value: string | null])[];
  }[];
  /** The name of the file, without an extension. */
  readonly file: string;
};

/** The commands of data sources, each to copy, and their data to save as CSV: the bytes that the command writes. */
export class DataList {
  readonly element = el('div', { class: 'data' });
  readonly #service: PageService;
  readonly #status = status();
  readonly #lines: HTMLElement[] = [];
  #sources: readonly DataSource[] = [];

  /** `picture` is called when a picture is to be saved; without it there are no pictures. */
  constructor(service: PageService, picture?: () => Picture) {
    this.#service = service;
    this.element.append(el('ul', { class: 'sources' }));
    if (picture !== undefined)
      this.element.append(
        el(
          'p',
          { class: 'buttons' },
          'Picture ',
          button('Save SVG', () => void this.#attempt(() => saveSvg(picture()))),
          button('Save PNG', () => void this.#attempt(() => savePng(picture()))),
        ),
      );
    this.element.append(this.#status);
  }

  /** Shows other sources; changes as many entries as possible in place, so that nothing loses the focus. */
  show(sources: readonly DataSource[]): void {
    const [list] = this.element.children;
    this.#sources = sources;
    if (this.#lines.length !== sources.length) {
      this.#lines.splice(0, this.#lines.length, ...sources.map((_, i) => this.#line(i)));
      list?.replaceChildren(...this.#lines);
    }
    for (const [i, { name, command, colour }] of sources.entries()) {
      const [swatch, label, code] = this.#lines[i]?.children ?? [];
      this.#lines[i]?.querySelector('.copy')?.setAttribute('aria-label', `Copy the command of ${name}`);
      this.#lines[i]?.querySelector('.csv')?.setAttribute('aria-label', `Save ${name} as CSV`);
      if (swatch !== undefined) swatch.className = `swatch ${colour ?? ''}`;
      if (label !== undefined) label.textContent = name;
      if (code !== undefined) code.textContent = command;
    }
  }

  #line(i: number): HTMLElement {
    const code = el('code', { tabindex: 0 });
    return el(
      'li',
      {},
      el('span', { 'aria-hidden': 'true' }),
      el('span', { class: 'name' }),
      code,
      button('Copy', () => void this.#attempt(() => this.#copy(code)), { class: 'copy' }),
      button('CSV', () => void this.#attempt(() => this.#saveCsv(this.#sources[i])), { class: 'csv' }),
    );
  }

  /** Browsers offer the clipboard only to HTTPS and this machine, and may refuse it; then the user copies by a key. */
  async #copy(code: HTMLElement): Promise<void> {
    try {
      await navigator.clipboard.writeText(code.textContent ?? '');
      this.#status.textContent = 'The command is copied.';
    } catch {
      getSelection()?.selectAllChildren(code);
      this.#status.textContent = 'The command is selected: copy it with Ctrl-C or ⌘C.';
    }
  }

  async #saveCsv(source: DataSource | undefined): Promise<void> {
    if (source === undefined) return;
    saveBlob(await this.#service.csv(source.path, source.params), `${source.file}.csv`);
  }

  async #attempt(act: () => Promise<void>): Promise<void> {
    this.#status.textContent = '';
    try {
      await act();
    } catch (error) {
      this.#status.textContent = `Not done: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

/** A picture as SVG, drawn as the command draws it. */
async function svgOf(picture: Picture): Promise<string> {
  // Loaded when it is needed: a page that saves no picture does without it.
  const { SvgRenderer } = await import('../render/chart/svg.ts');
  const { title, subtitle, axis, form, unit, frequency, source, lines } = picture;
  const renderer = new SvgRenderer({
    columns: { fields: [], chosen: false, all: [] },
    header: true,
    colour: false,
    drawing: {
      axis,
      form,
      words: () => ({ title, subtitle }),
      key: () => [],
      marks: ({ line, at, value = null }) => {
        const label = String(line);
        return [{ line: label, label, unit, frequency, at: String(at), value, source }];
      },
    },
  });
  const results = lines.flatMap(({ label, values }) =>
    values.map(([at, value]) => ({ line: label, at, value })),
  );
  const page = { object: 'picture', request_id: '', status: 'ok', results, has_more: false };
  renderer.page({ ...page, results_count: results.length });
  return renderer.end();
}

async function saveSvg(picture: Picture): Promise<void> {
  saveBlob(new Blob([await svgOf(picture)], { type: 'image/svg+xml' }), `${picture.file}.svg`);
}

/** Saves the SVG as pixels, twice as many in each direction, as the command does. */
async function savePng(picture: Picture): Promise<void> {
  const address = URL.createObjectURL(new Blob([await svgOf(picture)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = el('canvas', { width: image.width * 2, height: image.height * 2 });
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob === null) throw new Error('this browser makes no PNG of the picture; save it as SVG');
    saveBlob(blob, `${picture.file}.png`);
  } finally {
    URL.revokeObjectURL(address);
  }
}

function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = el('a', { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
