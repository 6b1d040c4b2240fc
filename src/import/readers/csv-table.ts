import { refusal, type SourceFile } from '../formats/format.ts';
import { type CsvRow, readCsv } from './csv.ts';

/** The cells of a CSV's first line, trimmed of blanks and quotes: enough to recognise a format, not to read it. */
export function headerOf(head: string): readonly string[] {
  return cellsOf(head, 0);
}

/** The cells of the line with that index (0 is the header) at the beginning of a file, as `headerOf` gives them. */
export function cellsOf(head: string, index: number): readonly string[] {
  // The mark may stand as one character or, in a head that was read byte by byte, as three.
  const text = head.replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, '');
  const line = text.split('\n', index + 1)[index] ?? '';
  return line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}

/** The records below a CSV's header, beside what was made of the header. */
type CsvBody<Header> = { readonly header: Header; readonly rows: readonly CsvRow[] };

/**
 * The records below a CSV's header, in batches, each beside what `readHeader` makes of the header (called once).
 * Records of only empty cells are passed over. A record with more or fewer cells than the header has is refused,
 * and so is a file without a record.
 */
export async function* readCsvBody<Header>(
  file: SourceFile,
  readHeader: (header: CsvRow) => Header,
): AsyncGenerator<CsvBody<Header>> {
  let known: { readonly header: Header; readonly width: number } | undefined;
  let empty = true;
  for await (const batch of readCsv(file)) {
    let records = batch;
    if (known === undefined) {
      const first = batch[0];
      if (first === undefined) continue;
      known = { header: readHeader(first), width: first.cells.length };
      records = batch.slice(1);
    }
    const { header, width } = known;
    const rows = records.filter(({ row, cells }) => {
      if (cells[0]?.trim() === '' && cells.every((cell) => cell.trim() === '')) return false;
      if (cells.length === width) return true;
      throw refusal(
        file,
        { row },
        `${cells.length} cells where the header has ${width}: is the file truncated?`,
      );
    });
    if (rows.length === 0) continue;
    empty = false;
    yield { header, rows };
  }
  if (known === undefined) throw refusal(file, {}, 'the file is empty');
  if (empty) throw refusal(file, {}, 'the file has a header and no rows');
}

/** The places of a header's columns by name; unknown, missing and repeated names are refused. */
export function placesOf<Name extends string>(
  file: SourceFile,
  { row, cells }: CsvRow,
  columns: { readonly required: readonly Name[]; readonly optional: readonly Name[] },
): ReadonlyMap<Name, number> {
  const all = [...columns.required, ...columns.optional];
  const places = new Map<Name, number>();
  for (const [place, cell] of cells.entries()) {
    const name = all.find((known) => known === cell.trim());
    if (name === undefined) {
      throw refusal(file, { row, column: cell }, `no such column here; the columns are ${all.join(', ')}`);
    }
    if (places.has(name)) throw refusal(file, { row, column: cell }, 'this column stands here twice');
    places.set(name, place);
  }
  for (const name of columns.required) {
    if (!places.has(name)) throw refusal(file, { row, column: name }, 'this column is missing');
  }
  return places;
}
