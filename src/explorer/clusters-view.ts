import { DataList } from './downloads.ts';
import { DataTable, dayField, el, labelled, on, type PageView, showIn } from './elements.ts';
import { type AskedParams, cell, type PageContext, type ServedRow, ServiceFailure } from './page-service.ts';
import { commandLine, type PageState, type StateChange } from './state.ts';

const most = '100';

/** A part of the state that a field of this page changes. */
type FieldName = keyof StateChange;

/** The columns of the trades of a cluster: the field and the head. */
const tradeColumns = [
  ['transaction_date', 'Traded'],
  ['filing_date', 'Filed'],
  ['owner_name', 'Insider'],
  ['shares', 'Shares'],
  ['price_per_share', 'Price'],
  ['verdict', 'Verdict'],
  ['reason', 'Reason'],
] as const;

const tradeHeads = tradeColumns.map(([name, head]) => ({
  head,
  isNumber: name === 'shares' || name === 'price_per_share',
}));

/** Insiders of one company who bought within days of each other, and why each trade counts or does not. */
export class ClustersView implements PageView {
  readonly element: HTMLElement;
  readonly title = 'Clusters of insiders';
  readonly #context: PageContext;
  readonly #data: DataList;
  readonly #found = el('p', { class: 'facts', role: 'status' });
  readonly #list = el('div', { class: 'clusters' });
  readonly #fields: ReadonlyMap<FieldName, HTMLInputElement>;
  #asked = '';
  #turn = 0;
  /** The name of the section that the state has open. */
  #open: string | undefined;
  #sections = new Map<string, HTMLDetailsElement>();

  constructor(context: PageContext) {
    this.#context = context;
    this.#data = new DataList(context.service);
    const day = (name: FieldName) => dayField((text) => context.go({ [name]: text }, 'soon'));
    const text = (name: FieldName, attributes: { readonly [name: string]: string | number }) => {
      const field = el('input', { autocomplete: 'off', ...attributes });
      return on(field, 'change', () => context.go({ [name]: field.value.trim() }));
    };
    this.#fields = new Map<FieldName, HTMLInputElement>([
      ['as-of', day('as-of')],
      ['ticker', text('ticker', { size: 8, spellcheck: 'false' })],
      ['min-insiders', text('min-insiders', { type: 'number', min: 1, max: 99, placeholder: '3' })],
      ['days', text('days', { type: 'number', min: 1, max: 365, placeholder: '14' })],
      ['from', day('from')],
      ['to', day('to')],
    ]);
    const labels = ['As of', 'Ticker', 'Insiders at least', 'Within days', 'Last trade from', 'to'];
    this.element = el(
      'article',
      {},
      el('h1', {}, 'Clusters of insiders'),
      el(
        'p',
        { class: 'facts' },
        'Officers and directors of one company who bought its shares within days of each other.',
      ),
      el(
        'div',
        { class: 'controls' },
        ...[...this.#fields.values()].map((field, i) => labelled(labels[i] ?? '', field)),
      ),
      this.#data.element,
      this.#found,
      this.#list,
    );
  }

  update(state: PageState): void {
    this.#open = state.open;
    for (const [name, field] of this.#fields) showIn(field, state[name] ?? '');
    const asked = askedIn(state);
    const flags = {
      '--as-of': asked.as_of,
      '--ticker': asked.ticker,
      '--min-insiders': asked.min_insiders,
      '--days': asked.days,
      '--from': asked.from,
      '--to': asked.to,
      '--limit': most,
      ...this.#context.connection,
    };
    const file = `clusters${asked.as_of === undefined ? '' : `-as-of-${asked.as_of}`}`;
    const params = { ...asked, limit: most };
    const source = (name: string, words: string, path: string, file: string) => ({
      name,
      command: commandLine(words, flags),
      path,
      params,
      file,
    });
    this.#data.show([
      source('Clusters', 'insider clusters', 'insider/clusters', file),
      source('Explained', 'insider clusters --explain', 'insider/clusters/explanations', `${file}-explained`),
    ]);
    const text = JSON.stringify(asked);
    if (text === this.#asked) this.#unfold();
    else {
      this.#asked = text;
      void this.#ask(params);
    }
  }

  async #ask(params: AskedParams): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    this.element.setAttribute('aria-busy', 'true');
    try {
      const { rows, hasMore } = await this.#context.service.page('insider/clusters', params);
      if (turn !== this.#turn) return;
      this.#found.textContent = hasMore
        ? `The newest ${rows.length} clusters; narrow the search to see others.`
        : rows.length === 1
          ? '1 cluster'
          : `${rows.length} clusters`;
      this.#sections = new Map(rows.map((row) => [nameOf(row), this.#section(row, params)]));
      this.#list.replaceChildren(...this.#sections.values());
      this.#unfold();
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#asked = '';
      this.#list.replaceChildren();
      this.#sections.clear();
      this.#found.textContent = '';
      // The fields stay, so that what is wrong in one can be changed.
      if (error instanceof ServiceFailure && error.status === 400) this.#context.warn([`${error.message}.`]);
      else this.#context.fail(error);
    } finally {
      if (turn === this.#turn) this.element.removeAttribute('aria-busy');
    }
  }

  #unfold(): void {
    for (const [name, section] of this.#sections) section.open = name === this.#open;
  }

  #section(row: ServedRow, params: AskedParams): HTMLDetailsElement {
    const facts = [
      `${cell(row, 'cluster_size')} insiders`,
      cell(row, 'date_first') === cell(row, 'date_last')
        ? cell(row, 'date_first')
        : `${cell(row, 'date_first')} to ${cell(row, 'date_last')}`,
      ...(cell(row, 'total_value') === '' ? [] : [`$${grouped(cell(row, 'total_value'))}`]),
      ...(cell(row, 'detected_on') === '' ? [] : [`public on ${cell(row, 'detected_on')}`]),
    ];
    const content = el('div', { class: 'trades' });
    const section = el(
      'details',
      {},
      el(
        'summary',
        {},
        el('span', { class: 'id' }, cell(row, 'ticker') || '(no ticker)'),
        ' ',
        el('span', { class: 'issuer' }, cell(row, 'issuer_name')),
        ' ',
        el('span', { class: 'facts' }, facts.join(' · ')),
      ),
      content,
    );
    on(section, 'toggle', () => {
      if (section.open && content.childElementCount === 0) void this.#explain(row, params, content);
      const name = nameOf(row);
      if (section.isConnected && section.open !== (name === this.#open))
        this.#context.go({ open: section.open ? name : '' }, 'replace');
    });
    return section;
  }

  async #explain(
    row: ServedRow,
    { min_insiders, days, as_of }: AskedParams,
    content: HTMLElement,
  ): Promise<void> {
    const last = cell(row, 'date_last');
    const table = new DataTable('The trades of the cluster and those near it, by trade date', tradeHeads);
    content.replaceChildren(table.element);
    try {
      const all = await this.#context.service.rows('insider/clusters/explanations', {
        min_insiders,
        days,
        as_of,
        ticker: cell(row, 'ticker'),
        from: last,
        to: last,
      });
      const own = all.filter((one) => nameOf(one) === nameOf(row));
      table.show(own.length, (i) => tradeColumns.map(([name]) => cell(own[i], name)));
    } catch (error) {
      content.replaceChildren();
      this.#context.fail(error);
    }
  }
}

function askedIn(state: PageState): AskedParams {
  return {
    as_of: state['as-of'],
    ticker: state.ticker?.toUpperCase(),
    min_insiders: state['min-insiders'],
    days: state.days,
    from: state.from,
    to: state.to,
  };
}

/** What is one cluster among those of an answer: its company and its first trade. */
function nameOf(row: ServedRow): string {
  return `${cell(row, 'issuer_cik')} ${cell(row, 'date_first')}`;
}

/** `203775.79` as `203,775.79`; no digit is lost. */
function grouped(text: string): string {
  return text.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');
}
