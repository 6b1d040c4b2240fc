import { type Day, later } from '../../../domain/values/date.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import {
  isJsonObject,
  jsonText,
  readJsonObject,
  textField,
  type UncheckedObject,
} from '../../readers/json.ts';
import type { Batch } from '../format.ts';
import { Cells, type Labels, revisionDate, tableOf } from './eurostat-tables.ts';

/** A table, or the part that was asked for, in JSON-stat. */
export type EurostatCube = {
  /** The name of the table, which may be the one before. */
  readonly name: string;
  /** When Eurostat last changed the table, ISO 8601. */
  readonly updated: string;
  /** The newest vintage of any series in the table. */
  readonly lastRevision: Day;
  /** Lists the keys of series that have a figure. */
  keys(): ReadonlySet<string>;
  /** Lists the codes of dimensions, each as `geo=UK`, without a figure in this part. */
  unused(): readonly string[];
  batches(): Generator<Batch>;
};

/** Reads a table in JSON-stat; throws for a dimension that is new or missing, and for a table without vintages. */
export async function readEurostatCube(file: SourceFile): Promise<EurostatCube> {
  const cube = await readJsonObject(file, 'texts');
  const extension = objectIn(file, cube, 'extension');
  const name = textField(file, extension, 'id').toUpperCase();
  const ids = textsIn(file, cube, 'id');
  const sizes = textsIn(file, cube, 'size').map(Number);
  const table = tableOf(
    file,
    name,
    ids.filter((id) => id !== 'time'),
  );
  const all = objectIn(file, cube, 'dimension');
  const dimensions = ids.map((id, at) => readDimension(file, all, id, sizes[at]));
  const strides = sizes.map((_, at) => sizes.slice(at + 1).reduce((product, size) => product * size, 1));
  const total = sizes.reduce((product, size) => product * size, 1);
  const codeAt = (index: number, id: string): string => {
    const at = ids.indexOf(id);
    return dimensions[at]?.codes[Math.floor(index / (strides[at] ?? 1)) % (sizes[at] ?? 1)] ?? '';
  };
  /** Lists the cells with a value or a status. */
  const cells = function* (): Generator<readonly [index: number, cell: string]> {
    const [value, status] = ['value', 'status'].map((field) => entriesIn(file, cube, field));
    for (const [index, text] of value ?? []) yield [index, `${text} ${status?.get(index) ?? ''}`];
    for (const [index, text] of status ?? []) if (value?.has(index) !== true) yield [index, `: ${text}`];
  };
  const labels: Labels = {
    table: textField(file, cube, 'label'),
    of: (id, code) => dimensions[ids.indexOf(id)]?.labels[code]?.toString(),
  };
  const lastRevision = dimensions[ids.indexOf(revisionDate)]?.codes.reduce(later, '') ?? '';
  const indexes = () => Array.from(cells(), ([index]) => index);
  return {
    name,
    updated: textField(file, cube, 'updated'),
    lastRevision,
    keys: () => new Set(indexes().map((index) => table.dimensions.map((id) => codeAt(index, id)).join('.'))),
    unused: () =>
      table.dimensions.flatMap((id) => {
        const used = new Set(indexes().map((index) => codeAt(index, id)));
        const { codes = [] } = dimensions[ids.indexOf(id)] ?? {};
        return codes.filter((code) => !used.has(code)).map((code) => `${id}=${code}`);
      }),
    *batches() {
      const found = new Cells(file, table, labels);
      for (const [index, cell] of cells()) {
        const place = { column: 'value', value: String(index) };
        if (!(index < total)) throw refusal(file, place, `outside of the ${total} cells of the table`);
        const observed = { revdate: codeAt(index, revisionDate), period: codeAt(index, 'time'), cell };
        found.add(
          found.series((id) => codeAt(index, id), place),
          observed,
          place,
        );
        yield* found.full();
      }
      yield* found.end(lastRevision);
    },
  };
}

type Dimension = { readonly codes: readonly string[]; readonly labels: UncheckedObject };

function readDimension(
  file: SourceFile,
  all: UncheckedObject,
  id: string,
  size: number | undefined,
): Dimension {
  const category = objectIn(file, objectIn(file, all, id), 'category');
  const { index, label } = category;
  const places = isJsonObject(index) ? Object.entries(index) : [];
  const codes = Array.isArray(index) ? index.map(String) : [];
  for (const [code, place] of places) codes[Number(place)] = code;
  if (codes.length !== size || codes.includes(undefined as never)) {
    const reason = `the dimension has ${codes.length} codes, and the size ${size}`;
    throw refusal(file, { column: id }, reason);
  }
  return { codes, labels: isJsonObject(label) ? label : {} };
}

/** Reads values or statuses by the index of their cell; JSON-stat writes a list or an object. */
function entriesIn(file: SourceFile, cube: UncheckedObject, field: string): ReadonlyMap<number, string> {
  const { [field]: all = {} } = cube;
  if (typeof all !== 'object' || all === null)
    throw refusal(file, { column: field, value: jsonText(all) }, 'neither a list nor an object');
  const entries = Object.entries(all).filter(([, text]) => text !== null);
  return new Map(entries.map(([index, text]) => [Number(index), String(text)]));
}

function objectIn(file: SourceFile, object: UncheckedObject, field: string): UncheckedObject {
  const { [field]: found } = object;
  if (isJsonObject(found)) return found;
  throw refusal(file, { column: field }, found === undefined ? 'this field is missing' : 'not an object');
}

function textsIn(file: SourceFile, object: UncheckedObject, field: string): readonly string[] {
  const { [field]: found } = object;
  if (Array.isArray(found) && found.every((text) => typeof text === 'string')) return found;
  throw refusal(
    file,
    { column: field },
    found === undefined ? 'this field is missing' : 'not a list of texts',
  );
}
