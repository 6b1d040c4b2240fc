import type { Envelope, Row } from '../../operations/envelope.ts';
import { headToWire, toWire } from '../../operations/wire.ts';
import { defined } from '../../platform/defined.ts';
import type { Columns } from '../columns.ts';
import { lineRenderer, type OutputLayout, type TextRenderer } from '../renderer.ts';

type JsonPage = Omit<Envelope, 'request_id'>;

/** Renders one envelope, indented by two spaces; of several pages, the first is in memory. */
export class JsonRenderer implements TextRenderer {
  readonly #layout: OutputLayout;
  readonly #wire: (row: Row) => Row;
  #first: JsonPage | undefined;
  #last: JsonPage | undefined;
  #count = 0;

  constructor(layout: OutputLayout) {
    this.#layout = layout;
    this.#wire = wireRows(layout.columns);
  }

  page(envelope: Envelope): string {
    const page = this.#shown(envelope);
    if (this.#first === undefined) {
      this.#first = page;
      return '';
    }
    const opening = this.#last === undefined ? headOf(this.#first) + this.#items(this.#first.results) : '';
    this.#last = page;
    return opening + this.#items(page.results);
  }

  end(): string {
    if (this.#first === undefined) throw new Error('a JSON output needs an envelope');
    if (this.#last === undefined) return `${JSON.stringify(this.#first, null, 2)}\n`;
    const { has_more, next_cursor } = this.#last;
    const tail = { results_count: this.#count, has_more, ...defined({ next_cursor }) };
    return `${this.#count === 0 ? '' : '\n  '}],${JSON.stringify(tail, null, 2).slice('{'.length)}\n`;
  }

  #shown(envelope: Envelope): JsonPage {
    const { request_id: _, ...page } = envelope;
    const shown: JsonPage = this.#layout.requestId === false ? page : envelope;
    return { ...headToWire(shown), results: envelope.results.map(this.#wire) };
  }

  #items(rows: readonly Row[]): string {
    const separator = this.#count === 0 ? '' : ',';
    this.#count += rows.length;
    return rows.length === 0 ? '' : separator + indentItems(rows);
  }
}

/** Formats an envelope up to the bracket of its results; the count and the cursor follow after the last page. */
function headOf(first: JsonPage): string {
  const { results, results_count, has_more, next_cursor, ...head } = first;
  return `${JSON.stringify(head, null, 2).slice(0, -'\n}'.length)},\n  "results": [`;
}

/** Indents rows as items of `results`; every line break is layout, as strings in JSON have none. */
function indentItems(rows: readonly Row[]): string {
  return JSON.stringify(rows, null, 2).slice('['.length, -'\n]'.length).replaceAll('\n', '\n  ');
}

/** Renders each row as a JSON object on a line, as on the wire. */
export function ndjsonRenderer({ columns }: OutputLayout): TextRenderer {
  const wire = wireRows(columns);
  return lineRenderer((row) => `${JSON.stringify(wire(row))}\n`);
}

function wireRows({ all, fields, chosen }: Columns): (row: Row) => Row {
  const wire = toWire(all);
  if (!chosen) return wire;
  return (row) => {
    const whole = wire(row);
    return Object.fromEntries(
      fields.flatMap(({ name }) => {
        const cell = whole[name];
        return cell === undefined ? [] : [[name, cell]];
      }),
    );
  };
}
