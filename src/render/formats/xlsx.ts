import { sourceNamesIn } from '../../domain/series/publishers.ts';
import { canonicalDecimal, decimalsOf } from '../../domain/values/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import { counted, grouped } from '../../errors/wording.ts';
import type { Cell as FieldCell } from '../../operations/envelope.ts';
import { type Field, fieldKinds, wholeTime } from '../../operations/field.ts';
import { defined } from '../../platform/defined.ts';
import { printable } from '../printable.ts';
import type { OutputLayout, Renderer } from '../renderer.ts';
import { type CellStyle, type SheetCell, workbookOf } from './workbook.ts';

const mostRows = 1_048_576;

const mostDigits = 15;

/** Spreadsheets repair a file with a longer text, and cut the text. */
const mostCharacters = 32_767;

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
    if (typeof found?.value !== 'string') return found;
    if (found.value.length > mostCharacters) throw tooLong(field, found.value);
    if (held.has(field.type) && field.words === undefined) refused += 1;
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
      const limits = `a cell holds no infinite number, none of more than ${mostDigits} digits, and no day before ${firstDay}`;
      const notes: readonly (readonly [name: string, text: string])[] = [
        ...(asOf === undefined ? [] : [['As of', asOf] as const]),
        ...about.filter(([name, text]) => name === 'As of' && text !== asOf),
        ...[...sources].sort().map((source) => ['Source', source] as const),
        ...[...units].map((unit) => ['Unit', unit] as const),
        ...about.filter(([name, text]) => name !== 'As of' && !(name === 'Unit' && units.has(text))),
        ...(refused === 0 ? [] : [['Cells', `${counted(refused, 'is', 'are')} text: ${limits}`] as const]),
        ...fields.map(({ name, description }) => ['Column', `${name}: ${description}`] as const),
      ];
      const widths = fields.map(({ name, type }) => {
        const isText = fieldKinds[type].alignment === 'text';
        return Math.max(name.length + 2, isText ? 16 : 12);
      });
      yield workbookOf([
        { name: 'data', rows: [...heads, ...rows], widths, hasHead: heads.length > 0 },
        {
          name: 'notes',
          rows: notes.map(([name, text]) => [bold(name), textCell(text)]),
          widths: [12, 100],
          hasHead: false,
        },
      ]);
    },
  };
}

/** The types of fields whose cells are numbers and days where a cell can hold them. */
const held: ReadonlySet<Field['type']> = new Set(['day', 'decimal', 'double', 'integer']);

function tooLong({ name }: Field, { length }: string): Problem {
  const size = `${grouped(length)} characters, and a cell has at most ${grouped(mostCharacters)}`;
  return new Problem('bad-input', `column '${name}' has a text of ${size}`, {
    hints: ['csv and parquet have texts of any length', '--columns leaves the column out'],
  });
}

/** Days, and times, of which a cell stores thousandths of a second. */
const forms = {
  day: /^\d{4}-\d\d-\d\d$/,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?$/,
};

/** The looks of cells; numbers have one for each count of decimals. */
const looks = {
  bold: { bold: true },
  right: { right: true },
  day: { format: 'yyyy-mm-dd' },
  time: { format: 'yyyy-mm-dd hh:mm:ss' },
} satisfies Record<string, CellStyle>;

const numberLooks: readonly CellStyle[] = Array.from({ length: 31 }, (_, decimals) => {
  return { format: decimals === 0 ? '0' : `0.${'0'.repeat(decimals)}` };
});

function sheetCell({ type, words }: Field, cell: FieldCell | undefined): SheetCell {
  if (cell === undefined || cell === null) return null;
  const text = fieldKinds[type].text(cell);
  const word = words?.[text];
  if (word !== undefined) return textCell(word);
  if (type === 'boolean') return { value: cell === true };
  if (type === 'decimal' || type === 'integer') return numberCell(text);
  if (type === 'double') return Number.isFinite(cell) ? { value: Number(cell) } : textCell(text, looks.right);
  const time = type === 'timestamp' ? wholeTime(text) : undefined;
  if (time !== undefined && forms.time.test(time) && time >= firstDay)
    return { value: serialOf(new Date(`${time}Z`)), style: looks.time };
  if ((type === 'day' || type === 'instant') && forms.day.test(text) && text >= firstDay)
    return { value: serialOf(new Date(`${text}T00:00:00Z`)), style: looks.day };
  return textCell(text);
}

/** Counts the days since 1899-12-30, as cells do from 1900-03-01 on. */
function serialOf(time: Date): number {
  return time.getTime() / 86_400_000 + 25_569;
}

function numberCell(text: string): SheetCell {
  const digits = canonicalDecimal(text)
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');
  if (digits.length > mostDigits) return textCell(text, looks.right);
  return { value: Number(text), ...defined({ style: numberLooks[Math.min(decimalsOf(text), 30)] }) };
}

function textCell(text: string, style?: CellStyle): SheetCell {
  return { value: printable(text), ...defined({ style }) };
}

function bold(text: string): SheetCell {
  return textCell(text, looks.bold);
}
