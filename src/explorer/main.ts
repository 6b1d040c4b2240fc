// Why: docs/decisions/explorer.md
import { html } from 'htm/preact';
import { Component, createRef, Fragment, render, type VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Field } from './controls/fields.ts';
import { SeriesLinks, SeriesSearch } from './controls/series-search.ts';
import { UnknownSeries } from './history.ts';
import { openHome } from './home/home.ts';
import { openClusters } from './insiders/clusters.ts';
import { type OpenedView, type PageContext, PageService, ServiceFailure } from './page-service.ts';
import { openCurves } from './rates/curve.ts';
import { openSeries } from './series/series-view.ts';
import { changed, commandLine, type PageState, type StateChange, searchOf, stateIn } from './state.ts';

/** The page's address, without its query; all requests are below it. */
const base = new URL('.', location.href);

/** In milliseconds without a change, before the address follows typing or sliding. */
const rest = 300;

const pages = [
  ['series', '?', 'Series'],
  ['curve', '?view=curve', 'Yield curve'],
  ['clusters', '?view=clusters', 'Insider clusters'],
] as const;

type ExplorerState = {
  readonly view: PageState['view'];
  readonly faults: readonly (string | VNode)[];
  /** True without an answer; the page then offers to ask again. */
  readonly hasFailed: boolean;
  readonly isOpening: boolean;
  /** The view, and the turn in which it was opened. It keeps what is typed while the rest of the page changes. */
  readonly content?: VNode;
  readonly opened: number;
};

class Explorer extends Component<object, ExplorerState> {
  override state: ExplorerState = {
    view: 'series',
    faults: [],
    hasFailed: false,
    isOpening: false,
    opened: 0,
  };
  readonly #connection = connectionFlags();
  readonly #service = new PageService(base, this.#connection['--base-url'] !== undefined);
  readonly #main = createRef<HTMLElement>();
  #view: (OpenedView & { readonly subject: string; readonly turn: number }) | undefined;
  #address: PageState = { view: 'series' };
  #pending: StateChange = {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  readonly #context: PageContext = {
    service: this.#service,
    go: (change, how) => this.#go(change, how),
    warn: (faults) => this.setState({ faults, hasFailed: false }),
    fail: (error) => this.#fail(error),
    connection: this.#connection,
  };

  override componentDidMount(): void {
    addEventListener('popstate', () => void this.#showAddress());
    document.addEventListener('click', (event) => this.#follow(event));
    void this.#showAddress();
  }

  override componentDidCatch(error: unknown): void {
    this.#fail(error);
  }

  render(_: object, { view, faults, hasFailed, isOpening, content, opened }: ExplorerState): VNode {
    const useOther = () => {
      this.#context.warn([]);
      this.#askKey();
    };
    return html`
      <a class="skip" href="#content">Skip to the content</a>
      <header>
        <div>
        <p class="brand"><a href="?">asof</a></p>
        <nav aria-label="Pages">
          ${pages.map(
            ([name, href, label]) =>
              html`<a href=${href} aria-current=${name === view ? 'page' : undefined}>${label}</a>`,
          )}
        </nav>
        <${SeriesSearch} service=${this.#service} />
        </div>
      </header>
      <div role="alert">
        ${faults.map((fault) => html`<p class="alert">${fault}</p>`)}
        ${
          hasFailed &&
          html`
            <p class="buttons">
              <button type="button" onClick=${() => void this.#showAddress()}>Try again</button>
              ${this.#service.key && html`<button type="button" onClick=${useOther}>Use another key</button>`}
            </p>`
        }
      </div>
      <p role="status" class="waiting">${isOpening && html`<span>Waiting for the service …</span>`}</p>
      <main id="content" tabindex="-1" aria-busy=${isOpening ? 'true' : undefined} ref=${this.#main}>
        <${Fragment} key=${opened}>${content}<//>
      </main>`;
  }

  #go(change: StateChange, how: 'push' | 'replace' | 'soon' = 'push'): void {
    clearTimeout(this.#timer);
    this.#pending = { ...this.#pending, ...change };
    if (how === 'soon') {
      this.#timer = setTimeout(() => this.#go({}), rest);
      return;
    }
    const next = changed(this.#address, this.#pending);
    this.#pending = {};
    const address = searchOf(next);
    if (address === searchOf(this.#address)) return;
    history[how === 'push' ? 'pushState' : 'replaceState'](null, '', address);
    // The faults of the replaced address stay.
    void this.#showAddress(how === 'replace');
  }

  /** Follows a link to another state of this page without loading it again. */
  #follow(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const href = link?.getAttribute('href') ?? '';
    if (!href.startsWith('?') || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.pushState(null, '', href);
    void this.#showAddress().then(() => this.#main.current?.focus());
  }

  async #showAddress(keepsFaults = false): Promise<void> {
    const { state, faults } = stateIn(location.search);
    this.#address = state;
    clearTimeout(this.#timer);
    this.#pending = {};
    this.#turn += 1;
    const turn = this.#turn;
    if (!keepsFaults) this.#context.warn(faults);
    this.setState({ view: state.view });
    const subject = JSON.stringify([state.view, state.series, state.type?.toUpperCase()]);
    try {
      if (this.#view?.subject !== subject) {
        this.setState({ isOpening: true });
        const view = await this.#open(state);
        // Another address was opened meanwhile.
        if (turn !== this.#turn) return;
        this.#view = { ...view, subject, turn };
      }
      this.#show(this.#view.show(state), this.#view.title, this.#view.turn);
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    } finally {
      if (turn === this.#turn) this.setState({ isOpening: false });
    }
  }

  #show(content: VNode, title: string, opened = this.#turn): void {
    this.setState({ content, opened });
    document.title = `${title} – asof`;
  }

  async #open(state: PageState): Promise<OpenedView> {
    if (state.view === 'curve') return openCurves(state, this.#context);
    if (state.view === 'clusters') return openClusters(this.#context);
    return state.series === undefined ? openHome(this.#context) : openSeries(state.series, this.#context);
  }

  #fail(error: unknown): void {
    this.#view = undefined;
    const { view, series } = this.#address;
    const subject = series ?? pages.find(([name]) => name === view)?.[2] ?? '';
    this.#show(html`<h1>${subject}</h1>`, subject);
    if (!(error instanceof ServiceFailure)) {
      this.#context.warn([`This is a bug in the explorer: ${String(error)}`]);
      throw error;
    }
    if (error.status === 401) this.#askKey(this.#service.key && error.message);
    else this.setState({ faults: [`${error.message}.`], hasFailed: !(error instanceof UnknownSeries) });
    if (error instanceof UnknownSeries) this.#show(html`<${Nearest} ...${error} />`, error.id);
  }

  /** Asks for the key, which stays in memory until the page is closed; `reason` is the last key's fault. */
  #askKey(reason?: string): void {
    const useKey = (key: string) => {
      this.#service.key = key;
      void this.#showAddress();
    };
    this.#show(html`<${KeyForm} reason=${reason} onKey=${useKey} />`, 'Key');
  }
}

/** Says that there is no series of an id, and shows those that a search finds for it. */
function Nearest({ id, nearest }: Pick<UnknownSeries, 'id' | 'nearest'>): VNode {
  return html`
    <h1>${id}</h1>
    <p class="lead">This store has no series of this id. ${nearest.length > 0 ? 'The nearest:' : 'The search finds those that it has.'}</p>
    <${SeriesLinks} rows=${nearest} />
    <p class="facts">If it is a series of FRED, <code>${commandLine(['pull', 'fred', id], {})}</code> brings it; <a href="?">all series</a></p>`;
}

/** Returns the flags of a command with this page's data: the store of the page, or the service. */
function connectionFlags(): { readonly [flag: string]: string } {
  const given = document.documentElement.dataset.store;
  if (given === undefined) return { '--base-url': base.href.replace(/\/$/, '') };
  return given === '' ? {} : { '--store': given };
}

const keyPattern = '\\s*[!-~]+\\s*';

type KeyFormProps = { readonly reason: string | undefined; readonly onKey: (key: string) => void };

function KeyForm({ reason, onKey }: KeyFormProps): VNode {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    onKey(field.current?.value.trim() ?? '');
  };
  return html`
    <form class="key" onSubmit=${submit}>
      <h1>Key</h1>
      <p>Enter your API key. It stays in this tab and is sent only to this service.</p>
      <${Field} label="API key">
        <input type="password" autocomplete="off" required spellcheck=${false} pattern=${keyPattern}
          aria-invalid=${reason === undefined ? undefined : 'true'} aria-describedby="key-fault"
          title="A key contains only letters, digits, - and _." ref=${field} />
      <//>
      <p id="key-fault" role="status" class="fault">${reason !== undefined && `The service says: ${reason}.`}</p>
      <button type="submit">Use this key</button>
    </form>`;
}

render(html`<${Explorer} />`, document.body);
