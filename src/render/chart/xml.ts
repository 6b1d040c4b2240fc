/** A number or text of an attribute. */
type Value = string | number;

/** What an element holds: nothing, text (escaped by `xmlText`), or elements. */
type Content = string | readonly string[];

/** An XML element; attributes come in the order given, numbers with at most two decimals. */
export function element(
  name: string,
  attributes: Readonly<Record<string, Value>>,
  content: Content = '',
): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${attributeText(value)}"`);
  const opening = `<${name}${given.join('')}`;
  if (content.length === 0) return `${opening}/>`;
  const inner = typeof content === 'string' ? content : `\n${content.join('\n')}\n`;
  return `${opening}>${inner}</${name}>`;
}

/** A coordinate, short. */
export function coordinate(value: number): string {
  return String(Number(value.toFixed(2)));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** What XML 1.0 has no way to write; other controls are visible pictures by now. */
const forbidden = /[\u{FFFE}\u{FFFF}]/gu;

/** A printable text as it stands in XML. */
export function xmlText(text: string): string {
  return text
    .replace(forbidden, '\uFFFD')
    .replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

function attributeText(value: Value): string {
  return typeof value === 'number' ? coordinate(value) : xmlText(value);
}
