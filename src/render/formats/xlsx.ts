import { canonicalDecimal, decimalsOf } from '../../domain/values/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import { counted, grouped } from '../../errors/wording.ts';
import type { Envelope, Cell as FieldCell } from '../../operations/envelope.ts';
import { type Field, fieldKinds } from '../../operations/field.ts';
import { defined } from '../../platform/defined.ts';
import { printable } from '../printable.ts';
import type { AnswerNotes, OutputLayout, Renderer } from '../renderer.ts';

type SheetCell = {
  readonly value: string | number | boolean | Date;
  readonly type: StringConstructor | NumberConstructor | BooleanConstructor | DateConstructor;
  readonly format?: string;
  readonly fontWeight?: 'bold';
  readonly align?: 'right';
} | null;

const mostRows = 1_048_576;

const mostDigits = 15;

/** The first day that Excel counts correctly: it has a 29 February 1900, which did not exist. */
const firstDay = '1900-03-01';

/** Renders a workbook of rows and notes; a value that a cell cannot store exactly is text, as the notes say. */
export class XlsxRenderer implements Renderer {
  readonly #layout: OutputLayout;
  readonly #rows: SheetCell[][] = [];
  readonly #sources = new Set<string>();
  readonly #units = new Set<string>();
  #asOf: string | undefined;
  #texts = 0;

  constructor(layout: OutputLayout) {
    this.#layout = layout;
    if (layout.header) this.#rows.push(layout.columns.fields.map(({ name }) => bold(name)));
  }

  page({ results, as_of }: Envelope): string {
    this.#asOf ??= as_of;
    const { fields } = this.#layout.columns;
    if (this.#rows.length + results.length > mostRows)
      throw new Problem('bad-input', `a sheet has at most ${grouped(mostRows)} rows`, {
        hints: ['csv and parquet have any number', '--limit, --from and --to select rows'],
      });
    for (const row of results) {
      this.#rows.push(fields.map((field) => this.#cellOf(field, row[field.name])));
      for (const source of String(row.source ?? '').split('; ')) if (source !== '') this.#sources.add(source);
      if (row.unit) this.#units.add(`${row.series_id}: ${row.unit}`);
    }
    return '';
  }

  async *end(answer?: AnswerNotes): AsyncGenerator<Uint8Array> {
    const about = (await answer?.about()) ?? [];
    const { fields } = this.#layout.columns;
    for (const [place, field] of fields.entries()) if (field.asWritten === true) this.#readColumn(place);
    const notes: readonly (readonly [string, string])[] = [
      ...(this.#asOf === undefined ? [] : [['As of', this.#asOf] as const]),
      ...about.filter(([name, text]) => name === 'As of' && text !== this.#asOf),
      ...[...this.#sources].sort().map((source) => ['Source', source] as const),
      ...[...this.#units].map((unit) => ['Unit', unit] as const),
      ...about.filter(([name, text]) => name !== 'As of' && !(name === 'Unit' && this.#units.has(text))),
      ...(this.#texts === 0
        ? []
        : [
            [
              'Cells',
              `${counted(this.#texts, 'is', 'are')} text: a cell holds no number of more than ${mostDigits} digits, and no day before ${firstDay}`,
            ] as const,
          ]),
      ...fields.map(({ name, description }) => ['Column', `${name}: ${description}`] as const),
    ];
    const sheets = [
      {
        sheet: 'data',
        data: this.#rows,
        stickyRowsCount: this.#layout.header ? 1 : 0,
        columns: fields.map(widthOf),
      },
      {
        sheet: 'notes',
        data: notes.map(([name, text]) => [bold(name), textCell(text)]),
        columns: [{ width: 12 }, { width: 100 }],
      },
    ];
    const { default: writeExcelFile } = await import('write-excel-file/node');
    yield withoutTimes(await writeExcelFile(sheets).toBuffer());
  }

  /** Makes a user's column numbers or days if all its texts are; codes that begin with 0 are not. */
  #readColumn(place: number): void {
    const rows = this.#rows.slice(this.#layout.header ? 1 : 0);
    const texts = rows.flatMap((cells) => cells[place]?.value ?? []).map(String);
    const type = (['decimal', 'day'] as const).find((one) => texts.every((text) => forms[one].test(text)));
    if (type === undefined || texts.length === 0) return;
    const field = { name: '', type, description: '' };
    for (const cells of rows) {
      const text = cells[place]?.value;
      if (text !== undefined) cells[place] = this.#cellOf(field, String(text));
    }
  }

  #cellOf(field: Field, cell: FieldCell | undefined): SheetCell {
    const found = sheetCell(field, cell);
    const isRefused = found?.type === String && fieldKinds[field.type].parquet !== 'STRING';
    if (isRefused && (field.type === 'decimal' || field.type === 'day')) this.#texts += 1;
    return found;
  }
}

/** Numbers, days and times in a user's file; a cell stores thousandths of a second. */
const forms = {
  decimal: /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/,
  day: /^\d{4}-\d\d-\d\d$/,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?$/,
};

function sheetCell({ type, words }: Field, cell: FieldCell | undefined): SheetCell {
  if (cell === undefined || cell === null) return null;
  const text = fieldKinds[type].text(cell);
  const word = words?.[text];
  if (word !== undefined) return textCell(word);
  if (type === 'boolean') return { value: cell === true, type: Boolean };
  if (type === 'decimal' || type === 'integer') return numberCell(text);
  if (type === 'double') return { value: Number(text), type: Number };
  const time = type === 'timestamp' ? text.replace(/^\S{10}$/, '$&T00:00:00') : undefined;
  if (time !== undefined && forms.time.test(time) && time >= firstDay)
    return { value: new Date(`${time}Z`), type: Date, format: 'yyyy-mm-dd hh:mm:ss' };
  if ((type === 'day' || type === 'instant') && forms.day.test(text) && text >= firstDay)
    return { value: new Date(`${text}T00:00:00Z`), type: Date, format: 'yyyy-mm-dd' };
  return textCell(text);
}

function numberCell(text: string): SheetCell {
  const digits = canonicalDecimal(text).replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
  if (digits.length > mostDigits) return textCell(text, 'right');
  const decimals = decimalsOf(text);
  return {
    value: Number(text),
    type: Number,
    format: decimals === 0 ? '0' : `0.${'0'.repeat(Math.min(decimals, 30))}`,
  };
}

function textCell(text: string, align?: 'right'): SheetCell {
  return { value: printable(text), type: String, ...defined({ align }) };
}

/** Sets the times in an archive to the earliest time: equal rows give equal bytes. */
function withoutTimes(archive: Buffer): Buffer {
  const bytes = Buffer.from(archive);
  const end = bytes.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  let entry = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    bytes.writeUInt32LE(firstTime, entry + 12);
    bytes.writeUInt32LE(firstTime, bytes.readUInt32LE(entry + 42) + 10);
    entry += 46 + [28, 30, 32].reduce((sum, at) => sum + bytes.readUInt16LE(entry + at), 0);
  }
  return bytes;
}

/** 1980-01-01, as archives write times. */
const firstTime = 0x00210000;

function bold(text: string): SheetCell {
  return { value: printable(text), type: String, fontWeight: 'bold' };
}

function widthOf({ name, type }: Field): { readonly width: number } {
  return { width: Math.max(name.length + 2, fieldKinds[type].alignment === 'text' ? 16 : 12) };
}
