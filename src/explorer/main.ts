import { ClustersView } from './clusters-view.ts';
import { curveTypeOf, openCurves } from './curve-view.ts';
import { button, el, labelled, on, type PageView, status } from './elements.ts';
import { cell, type PageContext, PageService, type ServedRow, ServiceFailure } from './page-service.ts';
import { openSeries } from './series-view.ts';
import { changed, type PageState, type StateChange, searchOf, stateIn } from './state.ts';

/** The address of the page, without its query: everything that it asks for is below it. */
const base = new URL('.', location.href);

/** The flags with which a command asks what this page asks: the store that the page came with, or the service. */
function connectionFlags(): { readonly [flag: string]: string } {
  const given = document.documentElement.dataset.store;
  if (given === undefined) return { '--base-url': base.href.replace(/\/$/, '') };
  return given === '' ? {} : { '--store': given };
}

/** The milliseconds without a change after which the address follows what is typed or moved. */
const rest = 300;

/** The milliseconds after which the page says that it waits for an answer. */
const patience = 300;

/** The page: a search, and the view that its address asks for. */
class Explorer {
  readonly #connection = connectionFlags();
  readonly #service = new PageService(base, this.#connection['--base-url'] !== undefined);
  readonly #main = el('main', { tabindex: -1 });
  readonly #alert = el('div', { role: 'alert' });
  readonly #waiting = el('p', { role: 'status', class: 'waiting' });
  readonly #search = new SeriesSearch(this.#service);
  readonly #links: readonly HTMLAnchorElement[];
  #view: { readonly subject: string; readonly view: PageView } | undefined;
  #state: PageState = { view: 'series' };
  /** Changes that wait until nothing else changes. */
  #pending: StateChange = {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  readonly #context: PageContext = {
    service: this.#service,
    go: (change, how) => this.#go(change, how),
    warn: (faults) => this.#warn(faults),
    fail: (error) => this.#fail(error),
    connection: this.#connection,
  };

  constructor() {
    this.#links = [
      ['series', 'Series'],
      ['curve', 'Yield curve'],
      ['clusters', 'Insider clusters'],
    ].map(([view = '', label]) => el('a', { href: view === 'series' ? '?' : `?view=${view}` }, label));
    document.body.append(
      el('a', { class: 'skip', href: '#content' }, 'Skip to the content'),
      el(
        'header',
        {},
        el('p', { class: 'brand' }, 'asof'),
        el('nav', { 'aria-label': 'Pages' }, ...this.#links),
        this.#search.element,
      ),
      this.#alert,
      this.#waiting,
      this.#main,
    );
    this.#main.id = 'content';
    addEventListener('popstate', () => void this.#showAddress());
    document.addEventListener('click', (event) => this.#follow(event));
    void this.#showAddress();
  }

  #go(change: StateChange, how: 'push' | 'replace' | 'soon' = 'push'): void {
    clearTimeout(this.#timer);
    this.#pending = { ...this.#pending, ...change };
    if (how === 'soon') {
      this.#timer = setTimeout(() => this.#go({}), rest);
      return;
    }
    const next = changed(this.#state, this.#pending);
    this.#pending = {};
    const address = searchOf(next);
    if (address === searchOf(this.#state)) return;
    history[how === 'push' ? 'pushState' : 'replaceState'](null, '', address);
    // The faults of the replaced address stay on the page.
    void this.#showAddress(how === 'replace');
  }

  /** Follows a link to another state of this page without loading it again. */
  #follow(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const href = link?.getAttribute('href') ?? '';
    if (!href.startsWith('?') || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.#search.close();
    history.pushState(null, '', href);
    void this.#showAddress().then(() => this.#main.focus());
  }

  #warn(faults: readonly string[]): void {
    this.#alert.replaceChildren(...faults.map((fault) => el('p', { class: 'alert' }, fault)));
  }

  async #showAddress(keepsFaults = false): Promise<void> {
    const { state, faults } = stateIn(location.search);
    this.#state = state;
    clearTimeout(this.#timer);
    this.#pending = {};
    this.#turn += 1;
    const turn = this.#turn;
    if (!keepsFaults) this.#warn(faults);
    for (const link of this.#links) {
      const isCurrent = (new URL(link.href).searchParams.get('view') ?? 'series') === state.view;
      if (isCurrent) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    const subject = JSON.stringify([state.view, state.series, curveTypeOf(state)]);
    const wait = setTimeout(() => {
      if (turn === this.#turn) this.#waiting.textContent = 'Waiting for the service …';
    }, patience);
    try {
      if (this.#view?.subject !== subject) {
        this.#main.setAttribute('aria-busy', 'true');
        const view = await this.#open(state);
        // Another address was opened meanwhile.
        if (turn !== this.#turn) return;
        this.#view = { subject, view };
        this.#main.replaceChildren(view.element);
        document.title = `${view.title} – asof`;
      }
      this.#view.view.update(state);
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    } finally {
      clearTimeout(wait);
      if (turn === this.#turn) {
        this.#main.removeAttribute('aria-busy');
        this.#waiting.textContent = '';
      }
    }
  }

  async #open(state: PageState): Promise<PageView> {
    if (state.view === 'curve') return openCurves(curveTypeOf(state), this.#context);
    if (state.view === 'clusters') return new ClustersView(this.#context);
    return state.series === undefined ? this.#openList() : openSeries(state.series, this.#context);
  }

  /** The series of the service, where none is chosen. */
  async #openList(): Promise<PageView> {
    const { rows, hasMore } = await this.#service.page('series', { limit: '100' });
    const found = hasMore
      ? 'The first 100 series; the search finds the others'
      : rows.length === 0
        ? 'There is no series yet: asof import and asof pull add series'
        : `${rows.length} series`;
    const element = el(
      'article',
      {},
      el('h1', {}, 'Economic series as they were known on a day'),
      el(
        'p',
        { class: 'lead' },
        'Choose a series, and move the slider: the chart shows what was known on that day.',
      ),
      el('p', { class: 'facts' }, `${found}.`),
      el('ul', { class: 'results columns' }, ...rows.map(resultOf)),
    );
    return { element, title: 'Explorer', update: () => undefined };
  }

  #fail(error: unknown): void {
    this.#view = undefined;
    const current = this.#links.find((link) => link.hasAttribute('aria-current'));
    const subject = this.#state.series ?? current?.textContent ?? '';
    this.#main.replaceChildren(el('h1', {}, subject));
    document.title = `${subject} – asof`;
    if (error instanceof ServiceFailure && error.status === 401) {
      this.#askKey(this.#service.hasKey ? error.message : undefined);
      return;
    }
    if (!(error instanceof ServiceFailure)) {
      this.#warn([`This is a bug in the explorer: ${String(error)}`]);
      throw error;
    }
    const otherKey = () => {
      this.#warn([]);
      this.#askKey();
    };
    this.#warn([`${error.message}.`]);
    this.#alert.append(
      el(
        'p',
        { class: 'buttons' },
        button('Try again', () => void this.#showAddress()),
        this.#service.hasKey ? button('Use another key', otherKey) : undefined,
      ),
    );
  }

  /** Asks for the key, kept in memory until the page is closed; `reason` says what was wrong with the last one. */
  #askKey(reason?: string): void {
    const field = el('input', {
      type: 'password',
      autocomplete: 'off',
      required: true,
      spellcheck: 'false',
      // What a header can have.
      pattern: '\\s*[!-~]+\\s*',
      title: 'A key has letters, digits, - and _ alone.',
    });
    const form = el(
      'form',
      { class: 'key' },
      el('h1', {}, 'Key'),
      el(
        'p',
        {},
        'This service answers with a key. The page keeps it until it is closed, and sends it to this service alone.',
      ),
      labelled('API key', field),
      el('button', { type: 'submit' }, 'Use this key'),
      reason === undefined ? undefined : el('p', { class: 'note' }, `The service says: ${reason}.`),
    );
    on(form, 'submit', (event) => {
      event.preventDefault();
      this.#service.useKey(field.value.trim());
      void this.#showAddress();
    });
    this.#main.replaceChildren(form);
    document.title = 'Key – asof';
    field.focus();
  }
}

/** The milliseconds to wait for another letter before searching for what is typed. */
const pause = 120;

/** A field that finds series by words; the arrow keys go through what it found, Escape and leaving it close that. */
class SeriesSearch {
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
function resultOf(row: ServedRow): HTMLElement {
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

new Explorer();
