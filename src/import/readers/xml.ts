import type { Problem } from '../../errors/problem.ts';
import { limits, refusal, type SourceFile, utf8Text } from '../files/source-file.ts';

/** An XML element: children by local name, text under `#text`. */
export type XmlNode = { readonly [name: string]: unknown };

/**
 * Parses an XML document, in which the elements of `lists` may repeat; names lose their prefix.
 * `lineOf` finds the line of an element.
 * Throws if the document is not UTF-8, is broken or cut short, or declares a document type.
 */
export async function parseXml(
  file: SourceFile,
  bytes: Buffer,
  lists: readonly string[],
): Promise<{ readonly root: XmlNode; readonly lineOf: (part: unknown) => number | undefined }> {
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  // The parser counts lines by LF.
  const text = utf8Text(file, bytes).replace(/\r\n?/g, '\n');
  if (/<!DOCTYPE/i.test(text))
    throw refusal(file, {}, 'XML with a document type declaration is not read; remove its DOCTYPE');
  refuseLongElements(file, text);
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw invalid(file, valid.err);
  const parser = new XMLParser({
    parseTagValue: false,
    // Entities and character references; a document type, which could define others, is refused.
    htmlEntities: true,
    ignoreAttributes: false,
    removeNSPrefix: true,
    captureMetaData: true,
    isArray: (name) => lists.includes(name),
  });
  try {
    const root: unknown = parser.parse(text);
    const position = XMLParser.getMetaDataSymbol().valueOf();
    const lineOf = (part: unknown) => lineAt(text, Reflect.get(Object(part), position));
    return { root: isNode(root) ? root : {}, lineOf };
  } catch (error) {
    throw broken(file, error instanceof Error ? error.message : String(error));
  }
}

/** Throws for an element of more than 1 MiB, of which the parser makes many times as much. */
function refuseLongElements(file: SourceFile, text: string): void {
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('<', at + 1);
    const end = next < 0 ? text.length : next;
    if (end - at > limits.element)
      throw refusal(file, { row: text.slice(0, at).split('\n').length }, 'an element of more than 1 MiB');
    at = end;
  }
}

function lineAt(text: string, position: unknown): number | undefined {
  const start = isNode(position) ? position.startIndex : undefined;
  return typeof start === 'number' ? text.slice(0, start).split('\n').length : undefined;
}

function invalid(file: SourceFile, { msg, line }: { readonly msg: string; readonly line: number }): Problem {
  // For a document that ends early, the validator lists the open elements and names no line.
  const open = msg.startsWith("Invalid '[") ? [...msg.matchAll(/"([^"]+)"/g)].map(([, name]) => name) : [];
  if (open.length > 0) return broken(file, `it ends within ${open.join(' > ')}`);
  return broken(file, msg, line);
}

function broken(file: SourceFile, message: string, row?: number): Problem {
  const reason = `the XML is broken or cut short: ${message.replace(/\s+/g, ' ')}`;
  return refusal(file, row === undefined ? {} : { row }, reason);
}

/** Tells whether a part of a document is an element with attributes or children. */
export function isNode(part: unknown): part is XmlNode {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

/** Returns the elements of one name as a list, also if there is one or none. */
export function listOf(part: unknown): readonly unknown[] {
  if (part === undefined) return [];
  return Array.isArray(part) ? part : [part];
}

/** Returns the trimmed text of an element, empty without text; undefined for an element with children. */
export function textOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part.trim();
  if (!isNode(part) || Object.keys(part).some((name) => name !== '#text' && !name.startsWith('@_')))
    return undefined;
  const text = part['#text'] ?? '';
  return typeof text === 'string' ? text.trim() : undefined;
}
