import type { Problem } from '../../errors/problem.ts';
import { notUtf8, refusal, type SourceFile } from '../formats/format.ts';

/** An element that has attributes or children: children by local name, text under `#text`. */
export type XmlNode = { readonly [name: string]: unknown };

/** A whole XML document; `lineOf` tells on which line an element with attributes or children begins. */
export type XmlDocument = { readonly root: XmlNode; lineOf(part: unknown): number | undefined };

/**
 * The document that `bytes` hold: names without their namespace prefix, texts as they stand, entities not expanded.
 * `lists` are the elements that may repeat. What is no UTF-8, is broken or cut short, or declares a document type is refused.
 */
export async function parseXml(
  file: SourceFile,
  bytes: Buffer,
  lists: readonly string[],
): Promise<XmlDocument> {
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  const text = decode(file, bytes);
  if (/<!DOCTYPE/i.test(text))
    throw refusal(file, {}, 'XML with a document type declaration is not read; save it without its DOCTYPE');
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw invalid(file, valid.err);
  const parser = new XMLParser({
    parseTagValue: false,
    processEntities: false,
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

function decode(file: SourceFile, bytes: Buffer): string {
  try {
    // The parser counts in lines that end in LF.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r\n?/g, '\n');
  } catch {
    throw notUtf8(file);
  }
}

function lineAt(text: string, position: unknown): number | undefined {
  const start = isNode(position) ? position.startIndex : undefined;
  return typeof start === 'number' ? text.slice(0, start).split('\n').length : undefined;
}

function invalid(file: SourceFile, { msg, line }: { readonly msg: string; readonly line: number }): Problem {
  // For a document that just ends, the validator lists the elements that are open, and names no line.
  const open = msg.startsWith("Invalid '[") ? [...msg.matchAll(/"([^"]+)"/g)].map(([, name]) => name) : [];
  if (open.length > 0) return broken(file, `it ends within ${open.join(' > ')}`);
  return broken(file, msg, line);
}

function broken(file: SourceFile, message: string, row?: number): Problem {
  const reason = `the XML is broken or cut short: ${message.replace(/\s+/g, ' ')}`;
  return refusal(file, row === undefined ? {} : { row }, reason);
}

/** Whether a part of a document is an element with attributes or children. */
export function isNode(part: unknown): part is XmlNode {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

/** The elements of one name, however many there are. */
export function listOf(part: unknown): readonly unknown[] {
  if (part === undefined) return [];
  return Array.isArray(part) ? part : [part];
}

/** The text of an element, empty when there is none; undefined for an element that has children. */
export function textOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part.trim();
  if (!isNode(part) || Object.keys(part).some((name) => name !== '#text' && !name.startsWith('@_')))
    return undefined;
  const text = part['#text'] ?? '';
  return typeof text === 'string' ? text.trim() : undefined;
}
