import { zipOf } from './zip-writer.ts';

/** A cell: a number as its XML text, a day (as Excel's count of days), a text, an empty cell, or a boolean. */
type Cell = { readonly number: string } | { readonly day: string } | string | boolean | null;

/** A row of cells, from column A on. */
export type Row = readonly Cell[];

/** The bytes of a minimal workbook with these sheets. */
export function workbook(...sheets: readonly (readonly Row[])[]): Buffer {
  return namedWorkbook(Object.fromEntries(sheets.map((rows, index) => [`S${index + 1}`, rows])));
}

/** The bytes of a minimal workbook with these sheets by name. */
export function namedWorkbook(named: Readonly<Record<string, readonly Row[]>>): Buffer {
  return zipOf(Object.entries(workbookMembers(named)).map(([name, content]) => ({ name, content })));
}

/** The files in the archive of a minimal workbook with these sheets, by path. */
export function workbookMembers(
  named: Readonly<Record<string, readonly Row[]>>,
): Readonly<Record<string, string>> {
  const [names, sheets] = [Object.keys(named), Object.values(named)];
  const ids = sheets.map((_, index) => index + 1);
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const packaging = 'http://schemas.openxmlformats.org/package/2006';
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  return {
    '[Content_Types].xml': `<Types xmlns="${packaging}/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${type}.styles+xml"/>${ids.map((id) => `<Override PartName="/xl/worksheets/sheet${id}.xml" ContentType="${type}.worksheet+xml"/>`).join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${packaging}/relationships"><Relationship Id="r1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${ids.map((id) => `<sheet name="${names[id - 1]}" sheetId="${id}" r:id="r${id}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaging}/relationships">${ids.map((id) => `<Relationship Id="r${id}" Type="${relations}/worksheet" Target="worksheets/sheet${id}.xml"/>`).join('')}<Relationship Id="styles" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map((rows, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<worksheet xmlns="${main}"><sheetData>${rows.map(rowXml).join('')}</sheetData></worksheet>`,
      ]),
    ),
  };
}

function rowXml(cells: Row, index: number): string {
  const row = index + 1;
  const xml = cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${row}`));
  return `<row r="${row}">${xml.join('')}</row>`;
}

function cellXml(cell: Cell, address: string): string {
  if (cell === null) return '';
  if (typeof cell === 'boolean') return `<c r="${address}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'string') return `<c r="${address}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  if ('day' in cell) {
    const days = (Date.parse(cell.day) - Date.UTC(1899, 11, 30)) / 86_400_000;
    return `<c r="${address}" s="1"><v>${days}</v></c>`;
  }
  return `<c r="${address}"><v>${cell.number}</v></c>`;
}
