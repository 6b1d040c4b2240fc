import type { Envelope, Row } from '../../operations/envelope.ts';
import { headToWire, toWire } from '../../operations/field.ts';
import { defined } from '../../platform/defined.ts';
import type { Columns } from '../columns.ts';
import { lineRenderer, type OutputLayout, type TextRenderer } from '../renderer.ts';

type JsonPage = Omit<Envelope, 'request_id'>;

/** Renders one envelope, indented by two spaces; of several pages, the first is in memory. */
export function jsonRenderer({ columns, requestId }: OutputLayout): TextRenderer {
  const wire = wireRows(columns);
  let first: JsonPage | undefined;
  let last: JsonPage | undefined;
  let count = 0;
  /** Indents rows as items of `results`; every line break is layout, as strings in JSON have none. */
  const items = (rows: readonly Row[]): string => {
    if (rows.length === 0) return '';
    const separator = count === 0 ? '' : ',';
    count += rows.length;
    const text = JSON.stringify(rows, null, 2).slice('['.length, -'\n]'.length);
    return separator + text.replaceAll('\n', '\n  ');
  };
  return {
    page(envelope) {
      const { request_id: _, ...anonymous } = envelope;
      const shown: JsonPage = requestId === false ? anonymous : envelope;
      const page = { ...headToWire(shown), results: envelope.results.map(wire) };
      if (first === undefined) {
        first = page;
        return '';
      }
      const opening = last === undefined ? headOf(first) + items(first.results) : '';
      last = page;
      return opening + items(page.results);
    },
    end() {
      if (first === undefined) throw new Error('a JSON output needs an envelope');
      if (last === undefined) return `${JSON.stringify(first, null, 2)}\n`;
      const { has_more, next_cursor } = last;
      const tail = { results_count: count, has_more, ...defined({ next_cursor }) };
      return `${count === 0 ? '' : '\n  '}],${JSON.stringify(tail, null, 2).slice('{'.length)}\n`;
    },
  };
}

/** Formats an envelope up to the bracket of its results; the count and the cursor follow after the last page. */
function headOf(first: JsonPage): string {
  const { results, results_count, has_more, next_cursor, ...head } = first;
  return `${JSON.stringify(head, null, 2).slice(0, -'\n}'.length)},\n  "results": [`;
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
    const present = fields.filter(({ name }) => whole[name] !== undefined);
    return Object.fromEntries(present.map(({ name }) => [name, whole[name] ?? null]));
  };
}
