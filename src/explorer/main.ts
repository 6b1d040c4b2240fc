import { openClusters } from './clusters-view.ts';
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

/** The page: a search, and the view that its address asks for. */
class Explorer {
  readonly #service = new PageService(base);
  readonly #main = el('main', { tabindex: -1 });
  readonly #alert = el('div', { role: 'alert' });
  readonly #results = el('ul', { class: 'results' });
  readonly #count = status();
  readonly #links: readonly HTMLAnchorElement[];
  #view: { readonly subject: string; readonly view: PageView } | undefined;
  #state: PageState = { view: 'series' };
  #turn = 0;
  #searchTurn = 0;

  readonly #context: PageContext = {
    service: this.#service,
    go: (change, how) => this.#go(change, how),
    fail: (error) => this.#fail(error),
    connection: connectionFlags(),
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
        this.#search(),
      ),
      this.#alert,
      this.#main,
    );
    this.#main.id = 'content';
    addEventListener('popstate', () => void this.#showAddress());
    document.addEventListener('click', (event) => this.#follow(event));
    void this.#showAddress();
  }

  #go(change: StateChange, how: 'push' | 'replace' = 'push'): void {
    const next = changed(this.#state, change);
    const address = searchOf(next);
    if (address === searchOf(this.#state)) return;
    history[how === 'push' ? 'pushState' : 'replaceState'](null, '', address);
    void this.#showAddress();
  }

  /** Follows a link to another state of this page without loading it again. */
  #follow(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const href = link?.getAttribute('href') ?? '';
    if (!href.startsWith('?') || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.#results.replaceChildren();
    this.#count.textContent = '';
    history.pushState(null, '', href);
    void this.#showAddress().then(() => this.#main.focus());
  }

  async #showAddress(): Promise<void> {
    const { state, faults } = stateIn(location.search);
    this.#state = state;
    this.#turn += 1;
    const turn = this.#turn;
    this.#alert.replaceChildren(...faults.map((fault) => el('p', { class: 'alert' }, fault)));
    for (const link of this.#links) {
      const isCurrent = (new URL(link.href).searchParams.get('view') ?? 'series') === state.view;
      if (isCurrent) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    const subject = JSON.stringify([state.view, state.series, curveTypeOf(state)]);
    try {
      if (this.#view?.subject !== subject) {
        this.#main.setAttribute('aria-busy', 'true');
        const view = await this.#open(state);
        // Another address was asked for meanwhile.
        if (turn !== this.#turn) return;
        this.#view = { subject, view };
        this.#main.replaceChildren(view.element);
        document.title = `${view.title} – asof`;
      }
      this.#view.view.update(state);
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    } finally {
      if (turn === this.#turn) this.#main.removeAttribute('aria-busy');
    }
  }

  #open(state: PageState): Promise<PageView> {
    if (state.view === 'curve') return openCurves(curveTypeOf(state), this.#context);
    if (state.view === 'clusters') return openClusters(this.#context);
    return state.series === undefined ? this.#openList() : openSeries(state.series, this.#context);
  }

  /** The series of the service, where none is chosen. */
  async #openList(): Promise<PageView> {
    const { rows, hasMore } = await this.#service.page('series', { limit: '100' });
    const found = hasMore ? 'The first 100 series; the search finds the others' : `${rows.length} series`;
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
    this.#main.replaceChildren();
    if (error instanceof ServiceFailure && error.status === 401) {
      this.#askKey(error.message);
      return;
    }
    if (!(error instanceof ServiceFailure)) {
      this.#alert.replaceChildren(
        el('p', { class: 'alert' }, `This is a bug in the explorer: ${String(error)}`),
      );
      throw error;
    }
    const wait = error.retryAfter === undefined ? '' : `; it may be asked again in ${error.retryAfter} s`;
    this.#alert.replaceChildren(
      el('p', { class: 'alert' }, `${error.message}${wait}.`),
      el(
        'p',
        {},
        button('Try again', () => void this.#showAddress()),
      ),
    );
  }

  /** Asks for the key, which is kept in memory until the page is closed. */
  #askKey(reason: string): void {
    const field = el('input', { type: 'password', autocomplete: 'off', required: true, spellcheck: 'false' });
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
      el('p', { class: 'note' }, `The service says: ${reason}.`),
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

  #search(): HTMLElement {
    const field = el('input', { type: 'search', autocomplete: 'off', spellcheck: 'false' });
    on(field, 'input', () => void this.#find(field.value.trim()));
    on(field, 'keydown', ({ key }) => {
      if (key === 'Escape') void this.#find('');
      if (key === 'ArrowDown') this.#results.querySelector('a')?.focus();
    });
    const form = el(
      'form',
      { role: 'search', class: 'search' },
      labelled('Search', field),
      this.#count,
      this.#results,
    );
    return on(form, 'submit', (event) => {
      event.preventDefault();
      this.#results.querySelector('a')?.click();
    });
  }

  async #find(text: string): Promise<void> {
    this.#searchTurn += 1;
    const turn = this.#searchTurn;
    let rows: readonly ServedRow[] = [];
    let said = '';
    if (text !== '') {
      await new Promise((resolve) => setTimeout(resolve, 120));
      if (turn !== this.#searchTurn) return;
      try {
        const found = await this.#service.page('series', { q: text, match: 'any', limit: '12' });
        rows = found.rows;
        said =
          rows.length === 0
            ? `No series for “${text}”`
            : `${rows.length}${found.hasMore ? ' or more' : ''} series`;
      } catch (error) {
        said = error instanceof ServiceFailure ? error.message : String(error);
      }
    }
    if (turn !== this.#searchTurn) return;
    this.#count.textContent = said;
    this.#results.replaceChildren(...rows.map(resultOf));
  }
}

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
