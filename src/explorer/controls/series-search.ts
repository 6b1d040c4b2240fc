import { html } from 'htm/preact';
import { Component, createRef, type VNode } from 'preact';
import { addDays, dayInWords, utcDay } from '../../domain/values/date.ts';
import { cell, type PageService, type ServedRow } from '../page-service.ts';
import { searchOf } from '../state.ts';
import { Field } from './fields.ts';

/** In milliseconds, for another letter before a search. */
const pause = 120;

type SeriesSearchProps = { readonly service: PageService };

type SearchState = { readonly said: string; readonly rows: readonly ServedRow[] };

const nothing: SearchState = { said: '', rows: [] };

/** A field to find series by words; arrow keys move through the results, Escape closes them. */
export class SeriesSearch extends Component<SeriesSearchProps, SearchState> {
  override state = nothing;
  readonly #form = createRef<HTMLFormElement>();
  readonly #field = createRef<HTMLInputElement>();
  readonly #gone = new AbortController();
  #turn = 0;

  override componentDidMount(): void {
    document.addEventListener('keydown', (event) => this.#summon(event), this.#gone);
  }

  override componentWillUnmount(): void {
    this.#gone.abort();
  }

  #close(): void {
    this.#turn += 1;
    this.setState(nothing);
  }

  render(_: SeriesSearchProps, { said, rows }: SearchState): VNode {
    const find = () => void this.#find(pause);
    const leave = ({ relatedTarget }: FocusEvent) => {
      if (!(relatedTarget instanceof Node && this.#form.current?.contains(relatedTarget))) this.#close();
    };
    // The field keeps the focus: some browsers give none to a clicked link.
    const keepFocus = (event: Event) => event.preventDefault();
    return html`
      <form role="search" class="search" ref=${this.#form} onKeyDown=${(event: KeyboardEvent) => this.#press(event)}
        onFocusOut=${leave} onSubmit=${(event: Event) => void this.#open(event)}>
        <${Field} label="Search">
          <input type="search" autocomplete="off" spellcheck=${false} ref=${this.#field} onInput=${find}
            onFocus=${find} placeholder="inflation, GDP, DGS10 …" aria-keyshortcuts="/" />
        <//>
        <p role="status" class="note">${said}</p>
        <${SeriesLinks} rows=${rows} onMouseDown=${keepFocus} />
      </form>`;
  }

  /** Goes to the field at the key `/`, unless it is typed into a field. */
  #summon(event: KeyboardEvent): void {
    const isTyped = event.target instanceof Element && event.target.matches('input, select, textarea');
    if (event.key !== '/' || isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#field.current?.focus();
    this.#field.current?.select();
  }

  #press(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.#field.current?.focus();
      this.#close();
    }
    const links = this.#links();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || links.length === 0) return;
    // Instead of scrolling the page.
    event.preventDefault();
    const next = links.findIndex((link) => link.matches(':focus')) + step;
    (next < 0 ? this.#field.current : (links[next] ?? links.at(-1)))?.focus();
  }

  async #open(event: Event): Promise<void> {
    event.preventDefault();
    // The links may be those for fewer letters.
    await this.#find(0);
    this.#links()[0]?.click();
  }

  #links(): readonly HTMLAnchorElement[] {
    return [...(this.#form.current?.querySelectorAll('a') ?? [])];
  }

  /** Shows the results for the text, and returns when they are on the page. */
  async #find(delay: number): Promise<void> {
    const text = this.#field.current?.value.trim() ?? '';
    this.#turn += 1;
    const turn = this.#turn;
    // Another letter was typed meanwhile, or this answer to fewer letters was late.
    const isLate = () => turn !== this.#turn;
    if (text !== '') await new Promise((resolve) => setTimeout(resolve, delay));
    if (isLate()) return;
    const found = text === '' ? nothing : await this.#foundBy(text);
    if (!isLate()) await new Promise((resolve) => this.setState(found, () => resolve(undefined)));
  }

  async #foundBy(text: string): Promise<SearchState> {
    try {
      const { rows, hasMore } = await this.props.service.search(text, 12);
      if (rows.length === 0) return { said: `No series for “${text}”`, rows };
      const matched = cell(rows[0], 'matched');
      if (matched === 'nearest') return { said: `Nothing matches “${text}”; the nearest are shown`, rows };
      const count = `${rows.length}${hasMore ? ' or more' : ''} series`;
      return { said: matched === 'some' ? `${count} that match a part of “${text}”` : count, rows };
    } catch (error) {
      return { said: error instanceof Error ? error.message : String(error), rows: [] };
    }
  }
}

type SeriesLinksProps = { readonly rows: readonly ServedRow[]; readonly class?: string };

/** Shows links to the pages of series with their units and coverage, in a list with any attributes. */
export function SeriesLinks({ rows, class: name = '', ...attributes }: SeriesLinksProps): VNode {
  return html`
    <ul class="results ${name}" ...${attributes}>
      ${rows.map(
        (row) => html`
          <li>
            <a href=${searchOf({ view: 'series', series: cell(row, 'id') })}>
              <span class="name">${cell(row, 'title') || cell(row, 'id')}</span>${' '}
              <span class="id">${cell(row, 'id')}</span>${' '}
              <span class="about">${aboutOf(row)}</span>
            </a>
          </li>`,
      )}
    </ul>`;
}

/** Says how often a series has a value, in which unit, and which years its vintages span. */
export function aboutOf(row: ServedRow): string {
  const [first, last] = ['first_vintage', 'covered_to'].map((name) => cell(row, name).slice(0, 4));
  const years = first === last ? first : `${first}–${last}`;
  const facts = [
    frequencyNames[cell(row, 'frequency')] ?? '',
    cell(row, 'units'),
    first && `vintages ${years}`,
  ];
  return facts.filter((fact) => fact).join(' · ');
}

/** Says when the data of a series end, if not lately. */
export function endText(row: ServedRow | undefined): string {
  const covered = cell(row, 'covered_to');
  const isOld = covered !== '' && covered < addDays(utcDay(new Date()), -31);
  return isOld ? `The data end on ${dayInWords(covered)}.` : '';
}

export const frequencyNames: Readonly<Record<string, string>> = {
  D: 'daily',
  W: 'weekly',
  BW: 'every two weeks',
  M: 'monthly',
  Q: 'quarterly',
  SA: 'twice a year',
  A: 'annual',
};
