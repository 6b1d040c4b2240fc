import { refusal, type SourceFile } from '../../files/source-file.ts';
import { readJsonObject, type UncheckedObject } from '../../readers/json.ts';
import { isNode, listOf, parseXml } from '../../readers/xml.ts';

/** Whether a file begins as an XML answer of the FRED API with this root element. */
export function isXmlResponse(head: string, root: 'observations' | 'seriess'): boolean {
  return new RegExp(`^\\s*(?:<\\?xml[^>]*>\\s*)?<${root}\\b[^>]*\\brealtime_start=`).test(head);
}

/** An answer of the FRED API as the object that its JSON is; the XML has the same fields as attributes. */
export async function readFredResponse(file: SourceFile): Promise<UncheckedObject> {
  const head = (await file.head()).toString('latin1').replace(/^\u00EF\u00BB\u00BF/, '');
  if (!/^\s*</.test(head)) return readJsonObject(file);
  const { root } = await parseXml(file, await file.bytes(), ['observation', 'series']);
  for (const [name, child] of [
    ['observations', 'observation'],
    ['seriess', 'series'],
  ] as const) {
    const element = root[name];
    if (isNode(element))
      return { ...attributesOf(element), [name]: listOf(element[child]).map(attributesOf) };
  }
  throw refusal(file, {}, 'neither observations nor descriptions of series of the FRED API');
}

/** Attributes that are numbers in the JSON. */
const counts = new Set(['count', 'offset', 'limit', 'output_type']);

function attributesOf(element: unknown): UncheckedObject {
  const attributes = isNode(element) ? Object.entries(element).filter(([name]) => name.startsWith('@_')) : [];
  return Object.fromEntries(
    attributes.map(([attribute, value]) => {
      const name = attribute.slice(2);
      const isCount = counts.has(name) && typeof value === 'string' && /^\d+$/.test(value);
      return [name, isCount ? Number(value) : plain(value)];
    }),
  );
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of an attribute with XML's five entities resolved. */
function plain(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '');
}
