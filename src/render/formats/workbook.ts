// Why: docs/decisions/workbooks.md
import { crc32, deflateRawSync } from 'node:zlib';
import { entryOf } from '../../domain/values/groups.ts';

/** The look of a cell; `format` is the number format of a spreadsheet, such as `0.00`. */
export type CellStyle = { readonly bold?: boolean; readonly right?: boolean; readonly format?: string };

/** A value with its look; a date is the number of its day. */
export type SheetCell = { readonly value: string | number | boolean; readonly style?: CellStyle } | null;

/** A sheet; the first of its rows stays in sight if it is the head, and has a filter. */
type WrittenSheet = {
  readonly name: string;
  readonly rows: readonly (readonly SheetCell[])[];
  /** In characters. */
  readonly widths: readonly number[];
  readonly hasHead: boolean;
};

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The first number of a format that is not built in. */
const firstFormat = 164;

/** Makes an `.xlsx` file of sheets, with the same bytes for the same sheets. */
export function workbookOf(sheets: readonly WrittenSheet[]): Buffer {
  const texts = new Places<string>();
  const styles = new Places<string>();
  styles.of(styleXml({}, 0));
  const formats = new Places<string>();
  // They number the texts and the styles, which come after them.
  const worksheets = sheets.map((sheet) => bytesOf(sheetXml(sheet, texts, styles, formats)));
  const parts = [
    ...sheets.map((_, i) => [`worksheets/sheet${i + 1}.xml`, 'worksheet'] as const),
    ['sharedStrings.xml', 'sharedStrings'] as const,
    ['styles.xml', 'styles'] as const,
  ];
  const overrides = [['workbook.xml', 'sheet.main'] as const, ...parts].map(
    ([path, type]) => `<Override PartName="/xl/${path}" ContentType="${spreadsheet}.${type}+xml"/>`,
  );
  const relations = parts.map(
    ([path, type], i) => `<Relationship Id="rId${i + 1}" Type="${office}/${type}" Target="${path}"/>`,
  );
  const named = sheets.map(({ name }, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`);
  const files: readonly (readonly [path: string, content: string | Buffer])[] = [
    [
      '[Content_Types].xml',
      `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`,
    ],
    [
      '_rels/.rels',
      `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${named.join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${packages}/relationships">${relations.join('')}</Relationships>`,
    ],
    ...worksheets.map((content, i) => [`xl/worksheets/sheet${i + 1}.xml`, content] as const),
    ['xl/sharedStrings.xml', bytesOf(stringsXml(texts.all))],
    ['xl/styles.xml', stylesXml(styles.all, formats.all)],
  ];
  return zipped(
    files.map(([path, content]) => {
      return [path, typeof content === 'string' ? bytesOf([content]) : content] as const;
    }),
  );
}

/** Returns the bytes of a part; a large one is longer than any text can be. */
function bytesOf(pieces: Iterable<string>): Buffer {
  const blocks: Buffer[] = [];
  let block = declaration;
  for (const piece of pieces) {
    block += piece;
    if (block.length < 2 ** 20) continue;
    blocks.push(Buffer.from(block));
    block = '';
  }
  return Buffer.concat([...blocks, Buffer.from(block)]);
}

function* stringsXml(texts: readonly string[]): Generator<string> {
  yield `<sst xmlns="${main}" uniqueCount="${texts.length}">`;
  for (const text of texts) yield `<si><t xml:space="preserve">${escaped(text)}</t></si>`;
  yield '</sst>';
}

/** Numbers values from 0 in the order in which they come first. */
class Places<T> {
  readonly #places = new Map<T, number>();

  of(value: T): number {
    return entryOf(this.#places, value, () => this.#places.size);
  }

  get all(): readonly T[] {
    return [...this.#places.keys()];
  }
}

function* sheetXml(
  { rows, widths, hasHead }: WrittenSheet,
  texts: Places<string>,
  styles: Places<string>,
  formats: Places<string>,
): Generator<string> {
  const styled = new Map<CellStyle, string>();
  const styleOf = (style: CellStyle) =>
    entryOf(styled, style, () => {
      const format = style.format === undefined ? 0 : firstFormat + formats.of(style.format);
      return ` s="${styles.of(styleXml(style, format))}"`;
    });
  const letters = widths.map((_, i) => columnLetters(i + 1));
  const cellXml = (cell: SheetCell, row: number, column: number): string => {
    if (cell === null) return '';
    const { value, style } = cell;
    const begin = `<c r="${letters[column]}${row}"${style === undefined ? '' : styleOf(style)}`;
    if (typeof value === 'number') return `${begin}><v>${value}</v></c>`;
    if (typeof value === 'boolean') return `${begin} t="b"><v>${Number(value)}</v></c>`;
    return `${begin} t="s"><v>${texts.of(value)}</v></c>`;
  };
  const columns = widths.map(
    (width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`,
  );
  const head = `<sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`;
  const filter = `<autoFilter ref="A1:${letters.at(-1)}${rows.length}"/>`;
  yield `<worksheet xmlns="${main}">${hasHead ? head : ''}<cols>${columns.join('')}</cols><sheetData>`;
  for (const [i, row] of rows.entries())
    yield `<row r="${i + 1}">${row.map((cell, column) => cellXml(cell, i + 1, column)).join('')}</row>`;
  yield `</sheetData>${hasHead ? filter : ''}</worksheet>`;
}

/** Names a column as a sheet does, counted from 1: A … Z, AA … */
function columnLetters(column: number): string {
  const before = Math.floor((column - 1) / 26);
  return (before === 0 ? '' : columnLetters(before)) + String.fromCharCode(65 + ((column - 1) % 26));
}

function styleXml({ bold = false, right = false }: CellStyle, format: number): string {
  const about = [
    ...(format === 0 ? [] : ['applyNumberFormat="1"']),
    ...(bold ? ['applyFont="1"'] : []),
    ...(right ? ['applyAlignment="1"'] : []),
  ];
  const begin = `<xf numFmtId="${format}" fontId="${Number(bold)}" fillId="0" borderId="0" xfId="0" ${about.join(' ')}`;
  return right ? `${begin}><alignment horizontal="right"/></xf>` : `${begin}/>`;
}

function stylesXml(styles: readonly string[], formats: readonly string[]): string {
  const numbered = formats.map(
    (format, i) => `<numFmt numFmtId="${firstFormat + i}" formatCode="${escaped(format)}"/>`,
  );
  const font = '<sz val="11"/><name val="Calibri"/><family val="2"/>';
  return `<styleSheet xmlns="${main}">${
    numbered.length === 0 ? '' : `<numFmts count="${numbered.length}">${numbered.join('')}</numFmts>`
  }<fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${styles.length}">${styles.join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
}

function escaped(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replace(/[\uFFFE\uFFFF]/g, '\uFFFD')
      // `_x0041_` means A.
      .replace(/_(?=x[\dA-F]{4}_)/gi, '_x005F_')
  );
}

/** 1980-01-01, as archives write days: equal files give equal bytes. */
const firstDay = 0x21;

/** Packs files into a ZIP archive, each compressed by itself. */
function zipped(files: readonly (readonly [path: string, content: Buffer])[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const [name, packed] = [Buffer.from(path), deflateRawSync(content)];
    // Version 2.0, no flags, deflated; time and day; checksum and sizes; lengths of the name and of nothing.
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(8, 4);
    about.writeUInt16LE(firstDay, 8);
    about.writeUInt32LE(crc32(content), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(content.length, 18);
    about.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    local.push(Buffer.from('PK\u0003\u0004'), about, name, packed);
    central.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), about, rest, name);
    offset += 4 + about.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(
    central.reduce((sum, { length }) => sum + length, 0),
    12,
  );
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, ...central, end]);
}
