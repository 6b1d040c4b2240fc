import type { PageState } from './state.ts';

type Content = Node | string | undefined;

type Attributes = { readonly [name: string]: string | number | boolean | undefined };

/**
 * An element with attributes and content: `true` sets an attribute without a value, `false` and undefined leave it
 * out.
 */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, '');
    else if (value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
  made.append(...content.filter((one) => one !== undefined));
  return made;
}

/** The same element with a listener. */
export function on<E extends HTMLElement, K extends keyof HTMLElementEventMap>(
  element: E,
  type: K,
  listener: (event: HTMLElementEventMap[K]) => void,
): E {
  element.addEventListener(type, listener);
  return element;
}

/** A button that does something. */
export function button(label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return on(el('button', { type: 'button', ...attributes }, label), 'click', act);
}

/** A field with its label. */
export function labelled(text: string, field: HTMLElement): HTMLLabelElement {
  return el('label', { class: 'field' }, el('span', {}, text), field);
}

/**
 * A field for a day, which calls `take` with a day, or with an empty text when it is cleared. Browsers report each
 * key: a year of which one digit is typed is the year 2. Such days are not taken, and leaving the field brings back
 * the day before.
 */
export function dayField(take: (day: string) => void, attributes: Attributes = {}): HTMLInputElement {
  const field = el('input', { type: 'date', min: '1600-01-01', max: '2999-12-31', ...attributes });
  on(field, 'blur', () => {
    if (!field.validity.valid) field.value = field.defaultValue;
  });
  return on(field, 'change', () => field.validity.valid && take(field.value));
}

/** Shows a text in a field. What is there already is left alone: writing it again would end the typing of a date. */
export function showIn(field: HTMLInputElement, text: string): void {
  if (field.type === 'date') field.defaultValue = text;
  if (field.value !== text) field.value = text;
}

/** A column of a table: its head, and whether it has numbers. */
export type ColumnHead = { readonly head: string; readonly isNumber?: boolean };

/** The rows of a table at first; the others are shown when they are asked for. */
const firstRows = 60;

/** A table of any length, in a box that scrolls; its cells can change without losing the focus. */
export class DataTable {
  readonly element: HTMLElement;
  readonly #columns: readonly ColumnHead[];
  readonly #body = el('tbody');
  readonly #more = button('', () => this.#showAll());
  #cells: HTMLElement[][] = [];
  #count = 0;
  #most = firstRows;
  #rowAt: (i: number) => readonly string[] = () => [];
  readonly #open: ((i: number) => void) | undefined;

  /** `open` is called with the number of a row whose first cell is clicked. */
  constructor(caption: string, columns: readonly ColumnHead[], open?: (i: number) => void) {
    this.#columns = columns;
    this.#open = open;
    const heads = columns.map((column) => el('th', { scope: 'col', class: kindOf(column) }, column.head));
    this.element = el(
      'div',
      { class: 'long' },
      el(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
        el('table', {}, el('caption', {}, caption), el('thead', {}, el('tr', {}, ...heads)), this.#body),
      ),
      this.#more,
    );
  }

  /** Shows rows, which are asked for by their number when they are shown. */
  show(count: number, rowAt: (i: number) => readonly string[]): void {
    this.#rowAt = rowAt;
    this.#count = count;
    const shown = Math.min(count, this.#most);
    if (this.#cells.length !== shown) {
      this.#cells = Array.from({ length: shown }, (_, i) => this.#row(i));
      this.#body.replaceChildren(...this.#cells.map((cells) => el('tr', {}, ...cells)));
    }
    for (const [i, cells] of this.#cells.entries())
      for (const [j, text] of rowAt(i).entries()) {
        const cell = cells[j];
        const holder = cell?.firstElementChild ?? cell;
        if (holder !== undefined && holder.textContent !== text) holder.textContent = text;
      }
    this.#more.hidden = shown === count;
    this.#more.textContent = `Show all ${count} rows`;
  }

  #row(i: number): HTMLElement[] {
    const open = this.#open;
    return this.#columns.map((column, j) => {
      if (j > 0) return el('td', { class: kindOf(column) });
      const content = open === undefined ? undefined : button('', () => open(i), { class: 'link' });
      return el('th', { scope: 'row', class: kindOf(column) }, content);
    });
  }

  #showAll(): void {
    this.#most = Number.POSITIVE_INFINITY;
    this.show(this.#count, this.#rowAt);
  }
}

function kindOf({ isNumber = false }: ColumnHead): string | undefined {
  return isNumber ? 'number' : undefined;
}

/** A text that screen readers say when it changes. */
export function status(): HTMLElement {
  return el('p', { role: 'status', class: 'note' });
}

/** What a slider over days does: `onMove` while it is moved, `onSettle` when it has come to rest on a day. */
type SliderEvents = { readonly onMove: (day: string) => void; readonly onSettle: (day: string) => void };

/** A slider over days in ascending order, with a field for any day, and a button for each direction. */
export class DaySlider {
  readonly element: HTMLElement;
  readonly #slider: HTMLInputElement;
  readonly #field: HTMLInputElement;
  readonly #about = el('output', { class: 'about' });

  constructor(label: string, days: readonly string[], { onMove, onSettle }: SliderEvents) {
    const attributes = {
      type: 'range',
      min: 0,
      max: Math.max(0, days.length - 1),
      step: 1,
      'aria-label': label,
    };
    this.#slider = el('input', attributes);
    this.#field = dayField(onSettle, { required: true });
    const chosen = () => days[Number(this.#slider.value)] ?? '';
    on(this.#slider, 'input', () => onMove(chosen()));
    on(this.#slider, 'change', () => onSettle(chosen()));
    const step = (by: number) => {
      this.#slider.value = String(Number(this.#slider.value) + by);
      onMove(chosen());
      onSettle(chosen());
    };
    this.element = el(
      'div',
      { class: 'slider' },
      labelled(label, this.#field),
      el(
        'div',
        { class: 'track' },
        button('‹', () => step(-1), { 'aria-label': `${label}: one step back`, class: 'step' }),
        this.#slider,
        button('›', () => step(1), { 'aria-label': `${label}: one step forward`, class: 'step' }),
      ),
      this.#about,
    );
  }

  /** Shows a day, at the position of a day of the slider, and what is to be said of it. */
  show(day: string, position: number, about: string): void {
    this.#slider.value = String(Math.max(0, position));
    this.#slider.setAttribute('aria-valuetext', about);
    showIn(this.#field, day);
    this.#about.textContent = about;
  }
}

/** The main part of the page. */
export interface PageView {
  readonly element: HTMLElement;
  readonly title: string;
  /** Shows another state of the same subject. */
  update(state: PageState): void;
}
