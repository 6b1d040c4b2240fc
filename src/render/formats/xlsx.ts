import type { CellObject } from 'write-excel-file/node';
import { sourceNamesIn } from '../../domain/series/publishers.ts';
import { canonicalDecimal, decimalsOf } from '../../domain/values/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import { counted, grouped } from '../../errors/wording.ts';
import type { Cell as FieldCell } from '../../operations/envelope.ts';
import { type Field, fieldKinds, wholeTime } from '../../operations/field.ts';
import { defined } from '../../platform/defined.ts';
import { printable } from '../printable.ts';
import type { OutputLayout, Renderer } from '../renderer.ts';

type SheetCell = CellObject | null;

const mostRows = 1_048_576;

const mostDigits = 15;

/** The first day that Excel counts correctly: it has a 29 February 1900, which did not exist. */
const firstDay = '1900-03-01';

/** Renders a workbook of rows and notes; a value that a cell cannot store exactly is text, as the notes say. */
export function xlsxRenderer({ columns: { fields }, header }: OutputLayout): Renderer {
  const rows: SheetCell[][] = [];
  const heads = header ? [fields.map(({ name }) => bold(name))] : [];
  const [sources, units] = [new Set<string>(), new Set<string>()];
  let asOf: string | undefined;
  let refused = 0;

  const cellOf = (field: Field, cell: FieldCell | undefined): SheetCell => {
    const found = sheetCell(field, cell);
    if (found?.type === String && (field.type === 'decimal' || field.type === 'day')) refused += 1;
    return found;
  };
  return {
    page({ results, as_of }) {
      asOf ??= as_of;
      if (heads.length + rows.length + results.length > mostRows)
        throw new Problem('bad-input', `a sheet has at most ${grouped(mostRows)} rows`, {
          hints: ['csv and parquet have any number', '--limit, --from and --to select rows'],
        });
      for (const row of results) {
        rows.push(fields.map((field) => cellOf(field, row[field.name])));
        for (const source of sourceNamesIn(String(row.source ?? ''))) sources.add(source);
        if (row.unit) units.add(`${row.series_id}: ${row.unit}`);
      }
      return '';
    },
    async *end(answer) {
      const about = (await answer?.about()) ?? [];
      const limits = `a cell holds no number of more than ${mostDigits} digits, and no day before ${firstDay}`;
      const notes: readonly (readonly [name: string, text: string])[] = [
        ...(asOf === undefined ? [] : [['As of', asOf] as const]),
        ...about.filter(([name, text]) => name === 'As of' && text !== asOf),
        ...[...sources].sort().map((source) => ['Source', source] as const),
        ...[...units].map((unit) => ['Unit', unit] as const),
        ...about.filter(([name, text]) => name !== 'As of' && !(name === 'Unit' && units.has(text))),
        ...(refused === 0 ? [] : [['Cells', `${counted(refused, 'is', 'are')} text: ${limits}`] as const]),
        ...fields.map(({ name, description }) => ['Column', `${name}: ${description}`] as const),
      ];
      const { default: writeExcelFile } = await import('write-excel-file/node');
      const filtered = heads.length > 0 ? `A1:${columnLetters(fields.length)}${1 + rows.length}` : undefined;
      const sheets = [
        {
          sheet: 'data',
          data: [...heads, ...rows],
          stickyRowsCount: heads.length,
          columns: fields.map(({ name, type }) => {
            const isText = fieldKinds[type].alignment === 'text';
            return { width: Math.max(name.length + 2, isText ? 16 : 12) };
          }),
        },
        {
          sheet: 'notes',
          data: notes.map(([name, text]) => [bold(name), textCell(text)]),
          columns: [{ width: 12 }, { width: 100 }],
        },
      ];
      const workbook = writeExcelFile(sheets, { features: [completed(filtered)] });
      yield withoutTimes(await workbook.toBuffer());
    },
  };
}

/** Days, and times, of which a cell stores thousandths of a second. */
const forms = {
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
  const time = type === 'timestamp' ? wholeTime(text) : undefined;
  if (time !== undefined && forms.time.test(time) && time >= firstDay)
    return { value: new Date(`${time}Z`), type: Date, format: 'yyyy-mm-dd hh:mm:ss' };
  if ((type === 'day' || type === 'instant') && forms.day.test(text) && text >= firstDay)
    return { value: new Date(`${text}T00:00:00Z`), type: Date, format: 'yyyy-mm-dd' };
  return textCell(text);
}

function numberCell(text: string): SheetCell {
  const digits = canonicalDecimal(text)
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');
  if (digits.length > mostDigits) return textCell(text, 'right');
  const decimals = '0'.repeat(Math.min(decimalsOf(text), 30));
  return { value: Number(text), type: Number, format: decimals === '' ? '0' : `0.${decimals}` };
}

function textCell(text: string, align?: 'right'): SheetCell {
  return { value: printable(text), type: String, ...defined({ align }) };
}

/** Adds what the library leaves out: the style that readers look for, and a filter in the head of the data. */
function completed(filtered: string | undefined) {
  const styles = (xml: string) =>
    xml
      .replace('<cellXfs', '<cellStyleXfs count="1"><xf/></cellStyleXfs>$&')
      .replace(
        '</cellXfs>',
        '$&<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
      );
  const sheet = (xml: string, _options: unknown, { sheetIndex }: { readonly sheetIndex: number }) =>
    sheetIndex > 0 || filtered === undefined
      ? xml
      : xml.replace('</sheetData>', `$&<autoFilter ref="${filtered}"/>`);
  return {
    files: {
      transform: {
        'xl/styles.xml': { transform: styles },
        'xl/worksheets/sheet{id}.xml': { transform: sheet },
      },
    },
  };
}

/** Names a column as a sheet does, counted from 1: A … Z, AA … */
function columnLetters(column: number): string {
  const before = Math.floor((column - 1) / 26);
  return (before === 0 ? '' : columnLetters(before)) + String.fromCharCode(65 + ((column - 1) % 26));
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
