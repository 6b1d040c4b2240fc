import { el, labelled, on, status } from './elements.ts';
import { cell, type PageService, type ServedRow, ServiceFailure } from './page-service.ts';
import { searchOf } from './state.ts';

/** The milliseconds to wait for another letter before searching for what is typed. */
const pause = 120;

/** A field that finds series by words; the arrow keys go through what it found, Escape and leaving it close that. */
export class SeriesSearch {
  readonly element: HTMLElement;
  readonly #service: PageService;
  readonly #field = el('input', { type: 'search', autocomplete: 'off', spellcheck: 'false' });
  readonly #count = status();
  readonly #results = el('ul', { class: 'results' });
  #turn = 0;

  constructor(service: PageService) {
    this.#service = service;
    const field = this.#field;
    const form = el(
      'form',
      { role: 'search', class: 'search' },
      labelled('Search', field),
      this.#count,
      this.#results,
    );
    const find = () => void this.#find(pause);
    on(on(field, 'input', find), 'focus', find);
    on(form, 'keydown', (event) => this.#press(event));
    on(form, 'focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) this.close();
    });
    // The field keeps the focus: some browsers give it to no link that is clicked.
    on(this.#results, 'mousedown', (event) => event.preventDefault());
    this.element = on(form, 'submit', (event) => {
      event.preventDefault();
      // What is there may have been found by fewer letters.
      void this.#find(0).then(() => this.#results.querySelector('a')?.click());
    });
  }

  /** Takes away what was found. */
  close(): void {
    this.#turn += 1;
    this.#show('', []);
  }

  #press(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.#field.focus();
      this.close();
    }
    const links = [...this.#results.querySelectorAll('a')];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || links.length === 0) return;
    // Instead of scrolling the page.
    event.preventDefault();
    const next = links.findIndex((link) => link.matches(':focus')) + step;
    (next < 0 ? this.#field : (links[next] ?? links.at(-1)))?.focus();
  }

  async #find(delay: number): Promise<void> {
    const text = this.#field.value.trim();
    this.#turn += 1;
    const turn = this.#turn;
    if (text === '') return this.#show('', []);
    await new Promise((resolve) => setTimeout(resolve, delay));
    // Another letter was typed meanwhile, or this answer to fewer letters came late.
    if (turn !== this.#turn) return;
    try {
      // What `asof series search` asks.
      const { rows, hasMore } = await this.#service.page('series', { q: text, match: 'words', limit: '12' });
      const isNearest = cell(rows[0], 'matched') === 'nearest';
      const found = isNearest
        ? `Nothing matches “${text}”; the nearest are shown`
        : `${rows.length}${hasMore ? ' or more' : ''} series`;
      if (turn === this.#turn) this.#show(rows.length === 0 ? `No series for “${text}”` : found, rows);
    } catch (error) {
      const said = error instanceof ServiceFailure ? error.message : String(error);
      if (turn === this.#turn) this.#show(said, []);
    }
  }

  #show(said: string, rows: readonly ServedRow[]): void {
    this.#count.textContent = said;
    this.#results.replaceChildren(...rows.map(resultOf));
  }
}

/** A link to the page of a series. */
export function resultOf(row: ServedRow): HTMLElement {
  const id = cell(row, 'id');
  return el(
    'li',
    {},
    el(
      'a',
      { href: searchOf({ view: 'series', series: id }) },
      el('span', { class: 'id' }, id),
      ' ',
      el('span', {}, cell(row, 'title')),
    ),
  );
}
