import type { Problem } from '../../../errors/problem.ts';
import { isNode, listOf, textOf, type XmlDocument, type XmlNode } from '../../readers/xml.ts';
import { type Place, refusal, type SourceFile } from '../format.ts';

/** An element of a document whose fields are read by path; what cannot be read is refused with its line and name. */
export type Fields = {
  /** The text at `a/b/value` below the element, blanks collapsed; empty when any part of the path is absent. */
  text(path: string): string;
  /** What `parse` makes of the text at a path; null when it is empty, refused as not `what` when it makes nothing of it. */
  parsed<T>(path: string, parse: (text: string) => T | undefined, what: string): T | null;
  /** As `parsed`, but refused when it is empty. */
  required<T>(path: string, parse: (text: string) => T | undefined, what: string): T;
  /** The elements at a path that may repeat, in their order. */
  all(path: string): readonly Fields[];
};

/** The fields of an element, given beside the elements that it lies in, innermost first. */
export function fieldsOf(
  file: SourceFile,
  document: XmlDocument,
  node: XmlNode,
  around: readonly XmlNode[] = [],
): Fields {
  const nodes = [node, ...around];

  /** Refuses what lies at the end of a path, on the line of the innermost element that has one. */
  const refuse = (found: Found, reason: string, value?: string): Problem => {
    const place: Place = { column: found.column, ...(value !== undefined && { value }) };
    for (const part of [...found.passed.toReversed(), ...nodes]) {
      const row = document.lineOf(part);
      if (row !== undefined) return refusal(file, { ...place, row }, reason);
    }
    return refusal(file, place, reason);
  };

  const walk = (path: string): Found => {
    let found: Found = { part: node, column: '', passed: [] };
    for (const name of path.split('/')) {
      const { part, passed } = found;
      const column = name === 'value' ? found.column : name;
      if (part === undefined || part === '') return { part: undefined, column, passed };
      const here = { part, column, passed };
      if (Array.isArray(part)) throw refuse(here, 'the element around it stands here twice');
      if (!isNode(part)) throw refuse(here, 'text where this element is expected');
      const next = Object.hasOwn(part, name) ? part[name] : undefined;
      found = { part: next, column, passed: [...passed, ...listOf(next)] };
    }
    return found;
  };

  const textAt = (found: Found): string => {
    if (found.part === undefined) return '';
    if (Array.isArray(found.part)) throw refuse(found, 'the element stands here twice');
    const value = textOf(found.part);
    if (value === undefined) throw refuse(found, 'elements where a text is expected');
    const plain = withoutEntities(value);
    if (plain === undefined) throw refuse(found, 'an entity that is not of XML itself', value);
    return plain.replace(/\s+/g, ' ').trim();
  };

  const parsed = <T>(path: string, parse: (text: string) => T | undefined, what: string): T | null => {
    const found = walk(path);
    const text = textAt(found);
    if (text === '') return null;
    const value = parse(text);
    if (value === undefined) throw refuse(found, `not ${what}`, text);
    return value;
  };

  return {
    text: (path) => textAt(walk(path)),
    parsed,
    required(path, parse, what) {
      const value = parsed(path, parse, what);
      if (value === null) throw refuse(walk(path), `${what} is missing here`);
      return value;
    },
    all(path) {
      const found = walk(path);
      return listOf(found.part).map((element) => {
        if (isNode(element)) return fieldsOf(file, document, element, nodes);
        throw refuse(found, 'an element with nothing in it');
      });
    },
  };
}

/** What lies at the end of a path, the name to call it by, and the elements passed on the way. */
type Found = { readonly part: unknown; readonly column: string; readonly passed: readonly unknown[] };

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text with XML's own five entities and character references resolved, once; undefined when it holds any other. */
function withoutEntities(text: string): string | undefined {
  let known = true;
  const plain = text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));?/gi,
    (entity, hex?: string, decimal?: string, name = '') => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      const character = decimal === undefined && hex === undefined ? named[name] : characterOf(code);
      if (character === undefined || !entity.endsWith(';')) known = false;
      return character ?? '';
    },
  );
  return known ? plain : undefined;
}

function characterOf(code: number): string | undefined {
  const allowed = code === 9 || code === 10 || code === 13 || (code >= 32 && code <= 0x10ffff);
  return allowed && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : undefined;
}
